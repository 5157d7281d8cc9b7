import Captures
import Foundation
import Packets

/// Files of one packet capture, as `tcpdump -C` and `-G`, `dumpcap -b` and their like write them one after the other.
enum PacketSeries {
    /// The files to be opened, those of one capture together and in the order of their packets.
    ///
    /// Of one capture are files of one folder whose names differ in nothing but digits, whose packets are of one kind of
    /// network, and of which each goes on when the one before has ended. A connection that goes from one into the next is
    /// whole only then.
    static func grouped(_ paths: [String]) -> [[String]] {
        let names = paths.map(skeleton)
        var groups: [[String]] = []
        var taken: Set<Int> = []
        for index in paths.indices where !taken.contains(index) {
            let same = paths.indices.filter {
                $0 >= index && names[$0] == names[index] && !taken.contains($0)
            }
            if let name = names[index], !name.isEmpty, same.count > 1,
                let order = order(same.map { paths[$0] })
            {
                groups.append(order)
                taken.formUnion(same)
            } else {
                groups.append([paths[index]])
                taken.insert(index)
            }
        }
        return groups
    }

    /// What a series is called where one name is wanted.
    static func name(of paths: [String]) -> String {
        guard let first = paths.first else { return "" }
        return paths.count == 1 ? first : "\(first) and \(paths.count - 1) more"
    }

    /// The path without the digits of the file's name; nil for what is no file.
    private static func skeleton(_ path: String) -> String? {
        guard path != "-" else { return nil }
        let url = URL(filePath: path)
        // tcpdump -z gzip leaves the newest as it is.
        let name =
            url.pathExtension == "gz" ? url.deletingPathExtension().lastPathComponent : url.lastPathComponent
        return url.deletingLastPathComponent().standardizedFileURL.path + "/"
            + String(name.filter { !("0"..."9").contains($0) })
    }

    private static func order(_ paths: [String]) -> [String]? {
        // The same file twice is a matter of its own.
        guard Set(paths).count == paths.count, paths.allSatisfy(isPacketFile) else { return nil }
        // What cannot be read is told when it is opened.
        guard let spans = try? paths.map({ try PacketFile.span(of: $0) }) else { return nil }
        return PacketSpan.order(of: spans)?.map { paths[$0] }
    }

    /// The TLS secrets in those of the files that are packet captures; what is wrong with one is told when it is read.
    static func secrets(in paths: [String]) -> [[UInt8]] {
        paths.filter(isPacketFile).flatMap { (try? PacketFile.keyLogs(in: $0)) ?? [] }
    }

    /// Whether it is a packet capture that can be read more than once.
    static func isPacketFile(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = FileHandle(forReadingAtPath: path)
        else { return false }
        defer { try? file.close() }
        guard let head = try? file.read(upToCount: PacketInput.headSize) else { return false }
        return PacketInput.isPacketFile(Array(head))
    }
}
