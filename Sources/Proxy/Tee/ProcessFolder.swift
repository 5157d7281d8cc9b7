#if os(Linux)
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// `/proc/PID` of one process, held open (proc(5)).
///
/// Leads nowhere once the process has ended, also when another one has got its number since.
package final class ProcessFolder: Sendable {
    package let processID: Int32
    private let folder: CInt

    /// Nil where there is no such process.
    package init?(_ processID: Int32) {
        folder = open("/proc/\(processID)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        self.processID = processID
    }

    deinit { close(folder) }

    /// What the process is called: fifteen bytes at most.
    var name: String? {
        let name = line("comm", upTo: 64)
        return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    /// `PID (NAME) STATE PARENT GROUP SESSION …`, cut off behind what anybody reads of it; empty where the process has ended.
    package var status: [UInt8] { line("stat", upTo: 256) }

    /// The first line of a file, without its end.
    private func line(_ file: String, upTo limit: Int) -> [UInt8] {
        let descriptor = openat(folder, file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let text = [UInt8](unsafeUninitializedCapacity: limit) {
            $1 = max(0, read(descriptor, $0.baseAddress, limit))
        }
        return text.last == 0x0a ? text.dropLast() : text
    }

    /// The numbers of its open descriptors; none where they are another user's.
    var descriptors: [Int] {
        let list = openat(folder, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard list >= 0 else { return [] }
        guard let directory = fdopendir(list) else {
            close(list)
            return []
        }
        defer { closedir(directory) }
        return Self.numbers(in: directory)
    }

    /// Whether a descriptor is the socket with an inode.
    func holds(socket inode: UInt64, at descriptor: Int) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { link in
            guard let base = link.baseAddress else { return false }
            let count = readlinkat(folder, "fd/\(descriptor)", base, link.count)
            guard count > 0 else { return false }
            return UnsafeRawBufferPointer(link).prefix(count).elementsEqual("socket:[\(inode)]".utf8)
        }
    }

    /// All processes, the newest first: who opens a connection has often just been started.
    package static var processIDs: [Int32] {
        guard let directory = opendir("/proc") else { return [] }
        defer { closedir(directory) }
        return numbers(in: directory).compactMap(Int32.init(exactly:)).sorted(by: >)
    }

    /// Those of the names in a folder that are numbers.
    private static func numbers(in directory: OpaquePointer) -> [Int] {
        var numbers: [Int] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = Int(name) { numbers.append(number) }
        }
        return numbers
    }
}
#endif
