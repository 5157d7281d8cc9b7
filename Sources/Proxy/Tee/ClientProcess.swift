internal import NIOConcurrencyHelpers
internal import NIOCore

/// Finds out which process owns the other end of a connection of this machine.
///
/// Linux: ``SocketTable`` leads from the addresses to the socket, ``ProcessFolder`` from there to the process.
/// Reads many small files: never on an event loop.
enum ClientProcess {
    struct Owner: Sendable {
        var name: String
        var processID: Int32
        fileprivate var finding: DescriptorPlaces.Finding
    }

    /// Who was found last, and where: a browser opens dozens of connections.
    private struct Found {
        var places = DescriptorPlaces()
        #if os(Linux)
        /// Of the processes of the places.
        var folders: [Int32: ProcessFolder] = [:]
        #endif
    }

    private static let found = NIOLockedValueBox(Found())

    /// The connection of this owner is over.
    static func left(_ owner: Owner) { found.withLockedValue { $0.places.left(owner.finding) } }

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
        let (places, folders) = found.withLockedValue { ($0.places.likely, $0.folders) }
        guard !places.isEmpty, let own = endpoint(client), let peer = endpoint(proxy),
            case .inode(let inode) = SocketTable.askKernel(own, peer)
        else { return nil }
        for place in places {
            guard let folder = folders[place.processID], folder.holds(socket: inode, at: place.descriptor)
            else { continue }
            return owner(folder, at: place.descriptor)
        }
        return nil
        #else
        return nil
        #endif
    }

    #if os(Linux)
    private static func process(withSocket inode: UInt64) -> Owner? {
        let likely = found.withLockedValue { $0.places.processIDs }
        for processID in likely {
            if let owner = owner(processID, ofSocket: inode) { return owner }
        }
        for processID in ProcessFolder.processIDs where !likely.contains(processID) {
            if let owner = owner(processID, ofSocket: inode) { return owner }
        }
        return nil
    }

    /// Looks at all descriptors; the newest first, which mostly has the largest number.
    private static func owner(_ processID: Int32, ofSocket inode: UInt64) -> Owner? {
        guard let folder = ProcessFolder(processID),
            let descriptor = folder.descriptors.reversed().first(where: {
                folder.holds(socket: inode, at: $0)
            })
        else { return nil }
        return owner(folder, at: descriptor)
    }

    private static func owner(_ folder: ProcessFolder, at descriptor: Int) -> Owner? {
        guard let name = folder.name else { return nil }
        let finding = found.withLockedValue { found in
            let place = DescriptorPlaces.Place(processID: folder.processID, descriptor: descriptor)
            let finding = found.places.found(at: place)
            found.folders[folder.processID] = folder
            if found.folders.count > 1 {
                let known = Set(found.places.processIDs)
                found.folders = found.folders.filter { known.contains($0.key) }
            }
            return finding
        }
        return Owner(name: name, processID: folder.processID, finding: finding)
    }
    #endif
}
