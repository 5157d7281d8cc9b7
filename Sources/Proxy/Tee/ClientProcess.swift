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
    struct Owner: Sendable {
        var name: String
        var processID: Int32
        fileprivate var finding: DescriptorPlaces.Finding
    }

    /// Who was found last, and where: a browser opens dozens of connections.
    private static let places = NIOLockedValueBox(DescriptorPlaces())

    /// The connection of this owner is over.
    static func left(_ owner: Owner) { places.withLockedValue { $0.left(owner.finding) } }

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
    #endif

    /// The owner, where it is one that had connections lately and has this one in a place where it had others.
    ///
    /// A score of system calls that wait for nothing: not out of place on an event loop.
    static func likelyOwner(client: SocketAddress, proxy: SocketAddress) -> Owner? {
        #if os(Linux)
        let places = places.withLockedValue { $0.likely }
        guard !places.isEmpty, let own = endpoint(client), let peer = endpoint(proxy),
            case .inode(let inode) = SocketTable.askKernel(own, peer)
        else { return nil }
        let wanted = Array("socket:[\(inode)]".utf8)
        let place = places.first { leads("/proc/\($0.processID)/fd/\($0.descriptor)", to: wanted) }
        return place.flatMap { owner($0.processID, at: $0.descriptor) }
        #else
        return nil
        #endif
    }

    #if os(Linux)
    private static func process(withSocket inode: UInt64) -> Owner? {
        let wanted = Array("socket:[\(inode)]".utf8)
        let likely = places.withLockedValue { $0.processIDs }
        for processID in likely {
            if let descriptor = descriptor(processID, wanted) { return owner(processID, at: descriptor) }
        }
        for processID in processIDs() where !likely.contains(processID) {
            if let descriptor = descriptor(processID, wanted) { return owner(processID, at: descriptor) }
        }
        return nil
    }

    private static func owner(_ processID: Int32, at descriptor: Int) -> Owner? {
        let finding = places.withLockedValue {
            $0.found(at: .init(processID: processID, descriptor: descriptor))
        }
        // Sixteen bytes at most (proc(5)).
        let name = SocketTable.contents(of: "/proc/\(processID)/comm", atATime: 64)?.prefix { $0 != 0x0a }
        guard let name, !name.isEmpty else { return nil }
        return Owner(name: String(decoding: name, as: UTF8.self), processID: processID, finding: finding)
    }

    /// Which of a process's descriptors is the socket; the newest first, which mostly has the largest number.
    private static func descriptor(_ processID: Int32, _ socket: [UInt8]) -> Int? {
        let folder = "/proc/\(processID)/fd"
        return names(in: folder).reversed().first { leads("\(folder)/\($0)", to: socket) }.flatMap { Int($0) }
    }

    private static func leads(_ path: String, to socket: [UInt8]) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { link in
            guard let base = link.baseAddress else { return false }
            let count = readlink(path, base, link.count)
            guard count == socket.count else { return false }
            return UnsafeRawBufferPointer(link).prefix(count).elementsEqual(socket)
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
