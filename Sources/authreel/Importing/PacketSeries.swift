import Captures
import Foundation
import Packets

/// Files that are opened as one: those of one packet capture in the order of their packets, or a file alone.
struct FileGroup {
    var paths: [String]
    /// Whether the packets of all are read in the order of their times; else each file goes on when the one before has ended.
    var areOfOneTime = false

    /// What the files are called where one name is wanted.
    var name: String {
        guard let first = paths.first else { return "" }
        return paths.count == 1 ? first : "\(first) and \(paths.count - 1) more"
    }
}

/// Files of one packet capture: written one after the other, as by `tcpdump -C` and `-G`, `dumpcap -b` and their like, or side by
/// side, as of two interfaces or directions.
enum PacketSeries {
    /// The files to be opened, those of one capture together.
    ///
    /// Of one capture are files of one folder whose names differ in nothing but digits, whose packets are of one kind of
    /// network, and of which each goes on when the one before has ended; and files that have parts of the same connections. A
    /// connection that is in several of them is whole only then.
    static func grouped(_ paths: [String]) -> [FileGroup] {
        let names = paths.map(skeleton)
        var groups: [FileGroup] = []
        var taken: Set<Int> = []
        for index in paths.indices where !taken.contains(index) {
            let same = paths.indices.filter {
                $0 >= index && names[$0] == names[index] && !taken.contains($0)
            }
            if let name = names[index], !name.isEmpty, same.count > 1,
                let order = order(same.map { paths[$0] })
            {
                groups.append(FileGroup(paths: order))
                taken.formUnion(same)
            } else {
                groups.append(FileGroup(paths: [paths[index]]))
                taken.insert(index)
            }
        }
        return joined(groups)
    }

    /// Those of the files that stand alone are put together which have parts of the same connections.
    private static func joined(_ groups: [FileGroup]) -> [FileGroup] {
        let alone = groups.indices.filter {
            groups[$0].paths.count == 1 && isPacketFile(groups[$0].paths[0])
        }
        guard alone.count > 1 else { return groups }
        var groups = groups
        var spans: [Int: PacketSpan] = [:]
        // What cannot be read is told when it is opened.
        for index in alone { spans[index] = try? PacketFile.span(of: groups[index].paths[0]) }
        for (place, first) in alone.enumerated() where !groups[first].paths.isEmpty {
            var members = [first]
            var next = 0
            while next < members.count {
                let span = spans[members[next]]
                let found = alone[(place + 1)...].filter { other in
                    !members.contains(other) && !groups[other].paths.isEmpty && belong(span, spans[other])
                }
                members += found
                next += 1
            }
            // As they were named, whichever led to which.
            members.sort()
            guard members.count > 1 else { continue }
            let order = PacketSpan.order(of: members.compactMap { spans[$0] })
            let paths = members.flatMap { groups[$0].paths }
            for member in members { groups[member].paths = [] }
            groups[first] = FileGroup(
                paths: order?.map { paths[$0] } ?? paths,
                areOfOneTime: order == nil
            )
        }
        return groups.filter { !$0.paths.isEmpty }
    }

    private static func belong(_ first: PacketSpan?, _ second: PacketSpan?) -> Bool {
        guard let first, let second else { return false }
        return first.belongs(with: second)
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
