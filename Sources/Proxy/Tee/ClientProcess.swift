internal import Captures
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Finds out which process owns the other end of a connection of this machine.
///
/// Linux: `/proc/net/tcp` leads from the addresses to the socket, `/proc/PID/fd` from there to the process. Reads many
/// small files: never on an event loop.
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
        guard let own = client.procNotation, let peer = proxy.procNotation else { return nil }
        for table in own.count == 13 ? ["/proc/net/tcp", "/proc/net/tcp6"] : ["/proc/net/tcp6"] {
            guard let inode = inode(own: own, peer: peer, in: table) else { continue }
            return process(withSocket: inode)
        }
        #endif
        return nil
    }

    #if os(Linux)
    private static func inode(own: String, peer: String, in table: String) -> String? {
        guard let text = contents(of: table) else { return nil }
        // A client that uses an IPv6 socket for an IPv4 address stands in the other table, in mapped form.
        let mapped = "0000000000000000FFFF0000"
        let isMapped = table.utf8.last == 0x36 && own.count == 13
        let wantedOwn = Array((isMapped ? mapped + own : own).utf8)
        let wantedPeer = Array((isMapped ? mapped + peer : peer).utf8)
        // `  12: OWN PEER STATE …`; a table may have thousands of lines, so each is only looked at where it matters.
        let wanted = [0x20] + wantedOwn + [0x20] + wantedPeer + [0x20]
        var rest = text[...]
        while let end = rest.firstIndex(of: 0x0a) {
            if let colon = rest.prefix(12).firstIndex(of: 0x3a), rest[(colon + 1)...].starts(with: wanted) {
                let words = rest[..<end].split(separator: 0x20)
                guard words.count > 9 else { return nil }
                let inode = String(decoding: words[9], as: UTF8.self)
                return inode == "0" ? nil : inode
            }
            rest = rest[(end + 1)...]
        }
        return nil
    }

    private static func process(withSocket inode: String) -> Owner? {
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
        guard let name = contents(of: "/proc/\(processID)/comm")?.prefix(while: { $0 != 0x0a }), !name.isEmpty
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

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = block.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return bytes }
            bytes += block[..<count]
        }
    }
    #endif
}

extension SocketAddress {
    /// As `/proc/net/tcp` writes it: each 32-bit word of the address in the byte order of the machine, then the port.
    fileprivate var procNotation: String? {
        guard let text = ipAddress, let port else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count: Int
        if inet_pton(AF_INET, text, &bytes) == 1 {
            count = 4
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            // An IPv4 client of a listener for both stands in the table of IPv4.
            if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
                bytes.replaceSubrange(0..<4, with: bytes[12..<16])
                count = 4
            } else {
                count = 16
            }
        } else {
            return nil
        }
        var words = ""
        for start in stride(from: 0, to: count, by: 4) {
            let word = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: UInt32.self) }
            words += Self.hexadecimal(UInt64(word), digits: 8)
        }
        return words + ":" + Self.hexadecimal(UInt64(port), digits: 4)
    }

    private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// Who is at the client's end of one connection; looked up once, beside the connection's own work.
final class ClientIdentity {
    private(set) var facts: ClientFacts
    /// Tells the connections of a recording apart.
    let connectionID: String
    private var isKnown = false
    private var waiting: [() -> Void] = []

    init(connectionID: String) {
        facts = ClientFacts()
        self.connectionID = connectionID
    }

    /// Starts looking; call once, on the channel's loop.
    func find(for channel: any Channel, proxy: ProxyContext) {
        guard let client = channel.remoteAddress, let own = channel.localAddress else { return known(nil) }
        facts.address = client.ipAddress.map { ip in
            "\(ip.utf8.contains(0x3a) ? "[\(ip)]" : ip):\(client.port ?? 0)"
        }
        proxy.threads.runIfActive(eventLoop: channel.eventLoop) {
            ClientProcess.owner(client: client, proxy: own)
        }
        .assumeIsolated()
        .whenComplete { result in self.known(try? result.get()) }
        // A machine with very many processes must not keep its logins waiting.
        channel.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(250)) { self.release() }
    }

    /// Calls back when the search is over, or has taken too long; at once where it has.
    func whenKnown(_ body: @escaping () -> Void) {
        if isKnown { body() } else { waiting.append(body) }
    }

    private func known(_ owner: ClientProcess.Owner?) {
        facts.process = owner?.name
        facts.processID = owner?.processID
        release()
    }

    private func release() {
        isKnown = true
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
