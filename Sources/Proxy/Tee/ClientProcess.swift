internal import NIOConcurrencyHelpers
internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Finds out which process owns the other end of a connection of this machine.
///
/// Linux: ``SocketTable`` leads from the addresses to the socket, `/proc/PID/fd` from there to the process.
/// Reads many small files: never on an event loop.
enum ClientProcess {
    struct Owner: Sendable, Hashable {
        var name: String
        var processID: Int32
    }

    /// Who was found last, most recent first: a browser opens dozens of connections.
    private static let recent = NIOLockedValueBox<[Int32]>([])

    /// The owner of the socket whose own address is `client` and whose peer is `proxy`.
    ///
    /// - Returns: nil where the system does not tell: another machine, another user's process, not Linux.
    static func owner(client: SocketAddress, proxy: SocketAddress) -> Owner? {
        #if os(Linux)
        guard let own = endpoint(client), let peer = endpoint(proxy),
            let inode = SocketTable.inode(own: own, peer: peer)
        else { return nil }
        return process(withSocket: inode)
        #else
        return nil
        #endif
    }

    #if os(Linux)
    private static func endpoint(_ address: SocketAddress) -> SocketTable.Endpoint? {
        guard let text = address.ipAddress, let port = address.port else { return nil }
        return SocketTable.Endpoint(text, port: port)
    }

    private static func process(withSocket inode: UInt64) -> Owner? {
        let wanted = Array("socket:[\(inode)]".utf8)
        let likely = recent.withLockedValue { $0 }
        for processID in likely where owns(processID, wanted) { return owner(processID) }
        for processID in processIDs() where !likely.contains(processID) && owns(processID, wanted) {
            return owner(processID)
        }
        return nil
    }

    private static func owner(_ processID: Int32) -> Owner? {
        recent.withLockedValue { recent in
            recent.removeAll { $0 == processID }
            recent.insert(processID, at: 0)
            if recent.count > 8 { recent.removeLast() }
        }
        guard let name = SocketTable.contents(of: "/proc/\(processID)/comm")?.prefix(while: { $0 != 0x0a }),
            !name.isEmpty
        else {
            return nil
        }
        return Owner(name: String(decoding: name, as: UTF8.self), processID: processID)
    }

    private static func owns(_ processID: Int32, _ socket: [UInt8]) -> Bool {
        let folder = "/proc/\(processID)/fd"
        var link = [UInt8](repeating: 0, count: 64)
        return names(in: folder).contains { name in
            let count = link.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return readlink("\(folder)/\(name)", base.assumingMemoryBound(to: CChar.self), bytes.count)
            }
            return count == socket.count && link.prefix(count).elementsEqual(socket)
        }
    }

    /// The newest first: who opens a connection has often just been started.
    private static func processIDs() -> [Int32] { names(in: "/proc").compactMap { Int32($0) }.sorted(by: >) }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.utf8.first != 0x2e { names.append(name) }
        }
        return names
    }
    #endif
}
