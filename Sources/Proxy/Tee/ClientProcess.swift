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

    /// Who was found last, and where among its descriptors, most recent first: a browser opens dozens of connections.
    private static let recent = NIOLockedValueBox<[(processID: Int32, descriptor: Int)]>([])
    /// How many places a look at them is worth.
    private static let likelyPlaces = 16
    /// How far behind the last place the next one is looked for: a client that opens connections and closes none.
    private static let vicinity = 4

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
        let places = recent.withLockedValue { $0 }
        guard !places.isEmpty, let own = endpoint(client), let peer = endpoint(proxy),
            case .inode(let inode) = SocketTable.askKernel(own, peer)
        else { return nil }
        let wanted = Array("socket:[\(inode)]".utf8)
        let next = (1...vicinity).map { (places[0].processID, places[0].descriptor + $0) }
        let place = (places + next).first { leads("/proc/\($0.processID)/fd/\($0.descriptor)", to: wanted) }
        return place.flatMap { owner($0.processID, at: $0.descriptor) }
        #else
        return nil
        #endif
    }

    #if os(Linux)
    private static func process(withSocket inode: UInt64) -> Owner? {
        let wanted = Array("socket:[\(inode)]".utf8)
        var likely: [Int32] = []
        for place in recent.withLockedValue({ $0 }) where !likely.contains(place.processID) {
            likely.append(place.processID)
        }
        for processID in likely {
            if let descriptor = descriptor(processID, wanted) { return owner(processID, at: descriptor) }
        }
        for processID in processIDs() where !likely.contains(processID) {
            if let descriptor = descriptor(processID, wanted) { return owner(processID, at: descriptor) }
        }
        return nil
    }

    private static func owner(_ processID: Int32, at descriptor: Int) -> Owner? {
        recent.withLockedValue { recent in
            recent.removeAll { $0 == (processID, descriptor) }
            recent.insert((processID, descriptor), at: 0)
            if recent.count > likelyPlaces { recent.removeLast() }
        }
        guard let name = SocketTable.contents(of: "/proc/\(processID)/comm")?.prefix(while: { $0 != 0x0a }),
            !name.isEmpty
        else {
            return nil
        }
        return Owner(name: String(decoding: name, as: UTF8.self), processID: processID)
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
