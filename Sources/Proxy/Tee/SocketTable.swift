#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import Synchronization

/// The system's table of TCP connections, asked for the inode of one socket (Linux).
enum SocketTable {
    #if os(Linux)
    /// An address as the kernel keeps it: 4 or 16 bytes in network order.
    struct Endpoint: Hashable {
        var address: [UInt8]
        var port: Int

        /// - Parameters:
        ///   - text: an address; IPv4 in IPv6 form becomes IPv4, which is how the kernel lists it.
        ///   - port: 0 to 65535.
        init?(_ text: String, port: Int) {
            var bytes = [UInt8](repeating: 0, count: 16)
            if inet_pton(AF_INET, text, &bytes) == 1 {
                address = Array(bytes.prefix(4))
            } else if inet_pton(AF_INET6, text, &bytes) == 1 {
                let isMapped =
                    bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
                address = isMapped ? Array(bytes.suffix(4)) : bytes
            } else {
                return nil
            }
            self.port = port
        }
    }

    /// The inode of the socket with these ends; nil where there is none, or the system does not tell.
    static func inode(own: Endpoint, peer: Endpoint) -> UInt64? {
        switch askKernel(own, peer) {
        case .inode(let inode): inode
        case .noSuchSocket: nil
        case .notAvailable: readTable(own, peer)
        }
    }

    // MARK: sock_diag(7)

    enum Answer: Equatable {
        case inode(UInt64)
        case noSuchSocket
        /// Some sandboxes have no such sockets.
        case notAvailable
    }

    /// The socket that the kernel is asked through, kept for the next question, and how many it was asked.
    private struct Line: ~Copyable {
        private let socket: CInt
        private var asked: UInt32 = 0

        /// Nil where the system has no such sockets.
        init?() {
            let netlinkDiagnostics: CInt = 4  // NETLINK_SOCK_DIAG
            socket = Glibc.socket(AF_NETLINK, CInt(SOCK_RAW.rawValue) | O_CLOEXEC, netlinkDiagnostics)
            guard socket >= 0 else { return nil }
            var wait = timeval(tv_sec: 0, tv_usec: 100_000)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(socket) }

        mutating func ask(_ own: Endpoint, _ peer: Endpoint) -> Answer {
            asked &+= 1
            let request = SocketTable.request(own, peer, number: asked)
            guard request.withUnsafeBytes({ send(socket, $0.baseAddress, $0.count, 0) }) == request.count
            else { return .notAvailable }
            return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { answer in
                let count = recv(socket, answer.baseAddress, answer.count, 0)
                return SocketTable.answer(in: UnsafeRawBufferPointer(answer).prefix(max(0, count)), to: asked)
            }
        }
    }

    private static let line = Mutex<Line?>(nil)

    /// Asks for the one socket: the table in `/proc` has a line for each that is closing too, thousands under
    /// load.
    static func askKernel(_ own: Endpoint, _ peer: Endpoint) -> Answer {
        guard own.address.count == peer.address.count else { return .noSuchSocket }
        return line.withLock { line in
            if line == nil { line = Line() }
            let answer = line?.ask(own, peer) ?? .notAvailable
            // What comes too late to this question would be taken for the answer to the next.
            if answer == .notAvailable { line = nil }
            return answer
        }
    }

    /// What an answer of the kernel's says, a `struct nlmsghdr` and what it announces.
    static func answer(in bytes: Slice<UnsafeRawBufferPointer>, to number: UInt32) -> Answer {
        guard bytes.count >= 20 else { return .notAvailable }
        let message = UnsafeRawBufferPointer(rebasing: bytes)
        guard message.loadUnaligned(fromByteOffset: 8, as: UInt32.self) == number else {
            return .notAvailable
        }
        switch message.loadUnaligned(fromByteOffset: 4, as: UInt16.self) {
        case 2:  // NLMSG_ERROR: -ENOENT says that there is no such socket.
            let error = message.loadUnaligned(fromByteOffset: 16, as: Int32.self)
            return error == -ENOENT ? .noSuchSocket : .notAvailable
        case 20 where message.count >= 88:  // SOCK_DIAG_BY_FAMILY
            let inode = message.loadUnaligned(fromByteOffset: 84, as: UInt32.self)
            return inode == 0 ? .noSuchSocket : .inode(UInt64(inode))
        default: return .notAvailable
        }
    }

    /// `struct nlmsghdr` and `struct inet_diag_req_v2`, in the byte order of the machine where not said
    /// otherwise.
    private static func request(_ own: Endpoint, _ peer: Endpoint, number: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(72)
        func add(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number) { bytes += $0 } }
        func add(address: [UInt8]) { bytes += address + [UInt8](repeating: 0, count: 16 - address.count) }
        add(UInt32(72))  // length of it all
        add(UInt16(20))  // SOCK_DIAG_BY_FAMILY
        add(UInt16(1))  // NLM_F_REQUEST
        add(number)
        add(UInt32(0))
        bytes += [UInt8(own.address.count == 4 ? AF_INET : AF_INET6), UInt8(IPPROTO_TCP), 0, 0]
        add(UInt32.max)  // in any state
        add(UInt16(truncatingIfNeeded: own.port).bigEndian)
        add(UInt16(truncatingIfNeeded: peer.port).bigEndian)
        add(address: own.address)
        add(address: peer.address)
        add(UInt32(0))  // on any interface
        add(UInt64.max)  // INET_DIAG_NOCOOKIE, twice
        return bytes
    }

    // MARK: /proc/net

    static func readTable(_ own: Endpoint, _ peer: Endpoint) -> UInt64? {
        // `  12: OWN PEER STATE …`; each line is only looked at where it matters.
        let isIPv4 = own.address.count == 4
        let tables = isIPv4 ? ["/proc/net/tcp", "/proc/net/tcp6"] : ["/proc/net/tcp6"]
        for table in tables {
            guard let text = contents(of: table) else { continue }
            // A client that uses an IPv6 socket for an IPv4 address stands in the other table, in mapped
            // form.
            let prefix =
                isIPv4 && table.utf8.last == 0x36 ? [UInt8](repeating: 0, count: 10) + [0xff, 0xff] : []
            let wanted = Array(" \(notation(own, prefix)) \(notation(peer, prefix)) ".utf8)
            var rest = text[...]
            while let end = rest.firstIndex(of: 0x0a) {
                if let colon = rest.prefix(12).firstIndex(of: 0x3a), rest[(colon + 1)...].starts(with: wanted)
                {
                    let words = rest[..<end].split(separator: 0x20)
                    guard words.count > 9, let inode = UInt64(String(decoding: words[9], as: UTF8.self)),
                        inode != 0
                    else { return nil }
                    return inode
                }
                rest = rest[(end + 1)...]
            }
        }
        return nil
    }

    /// Each 32-bit word of the address in the byte order of the machine, then the port.
    private static func notation(_ endpoint: Endpoint, _ prefix: [UInt8]) -> String {
        let bytes = prefix + endpoint.address
        let words = stride(from: 0, to: bytes.count, by: 4).map { start in
            hexadecimal(
                bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: UInt32.self) },
                digits: 8
            )
        }
        return words.joined() + ":" + hexadecimal(UInt32(truncatingIfNeeded: endpoint.port), digits: 4)
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// A file of `/proc`, which has no size before it is read.
    static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = block.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return bytes }
            bytes += block[..<count]
        }
    }
    #endif
}
