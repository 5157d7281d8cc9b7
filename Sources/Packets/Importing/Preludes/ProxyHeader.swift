internal import Captures

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a load balancer says of its client in front of the connection's own bytes: the PROXY protocol, versions 1 and 2.
///
/// As HAProxy, nginx, Envoy and the cloud's balancers send it; specified in HAProxy's `proxy-protocol.txt`. A header is read
/// from its first byte; whether it may be believed is not asked here.
struct ProxyHeader: Equatable {
    /// What the first bytes of a client are.
    enum Reading: Equatable {
        /// No such header.
        case other
        /// So far they begin like one.
        case more
        /// They begin like one, and go on otherwise.
        case broken(String)
        case header(ProxyHeader)
    }

    /// How long it is.
    var size: Int
    /// Who connected to the balancer; nil where it speaks for itself, or does not know.
    var source: Endpoint?
    /// The name that the client asked the balancer for (of version 2).
    var authority: String?

    private static let line = Array("PROXY ".utf8)
    /// A line with its end (section 2.1).
    private static let longestLine = 107
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    static func read(_ bytes: [UInt8]) -> Reading {
        switch bytes.first {
        case line[0]: readLine(bytes)
        case signature[0]: readBinary(bytes)
        default: .other
        }
    }

    // MARK: - Version 1

    private static func readLine(_ bytes: [UInt8]) -> Reading {
        guard bytes.starts(with: line.prefix(bytes.count)) else { return .other }
        let head = bytes.prefix(longestLine)
        guard let end = head.firstIndex(of: 10) else {
            return head.count < longestLine ? .more : .broken("its line does not end")
        }
        // Behind how it begins.
        guard bytes[end - 1] == 13 else { return .broken("its line does not end as it should") }
        let words = bytes[..<(end - 1)].split(separator: 0x20, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        var header = ProxyHeader(size: end + 1)
        switch words.dropFirst().first {
        // What stands behind it is to be passed over.
        case "UNKNOWN": return .header(header)
        case "TCP4", "TCP6":
            guard words.count == 6, let port = UInt16(words[4]), UInt16(words[5]) != nil,
                let address = address(words[2], isVersion6: words[1] == "TCP6"),
                Self.address(words[3], isVersion6: words[1] == "TCP6") != nil
            else { return .broken("its addresses cannot be read") }
            header.source = Endpoint(address: address, port: port)
            return .header(header)
        default: return .broken("it is of no protocol that there is")
        }
    }

    private static func address(_ text: String, isVersion6: Bool) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: isVersion6 ? 16 : 4)
        return inet_pton(isVersion6 ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : nil
    }

    // MARK: - Version 2

    private static func readBinary(_ bytes: [UInt8]) -> Reading {
        guard bytes.starts(with: signature.prefix(bytes.count)) else { return .other }
        guard bytes.count >= 16 else { return .more }
        guard bytes[12] >> 4 == 2 else { return .broken("it is of version \(bytes[12] >> 4)") }
        guard bytes[12] & 15 < 2 else { return .broken("its command is \(bytes[12] & 15)") }
        var header = ProxyHeader(size: 16 + Int(bytes[14]) << 8 + Int(bytes[15]))
        guard bytes.count >= header.size else { return .more }
        // The balancer speaks for itself, to see whether somebody is there.
        guard bytes[12] & 15 == 1 else { return .header(header) }
        let body = bytes[16..<header.size]
        let width: Int
        switch bytes[13] {
        case 0x11: width = 4
        case 0x21: width = 16
        // Sockets of files, datagrams, and what is not specified.
        default: return .header(header)
        }
        guard body.count >= 2 * width + 4 else { return .broken("it has no room for its addresses") }
        let port = body.dropFirst(2 * width).prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
        header.source = Endpoint(address: Array(body.prefix(width)), port: port)
        header.authority = authority(in: body.dropFirst(2 * width + 4))
        return .header(header)
    }

    /// The value of `PP2_TYPE_AUTHORITY` among types with lengths and values, if it can be a host.
    private static func authority(in values: ArraySlice<UInt8>) -> String? {
        var rest = values
        while rest.count >= 3 {
            let type = rest.removeFirst()
            let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
            guard length <= rest.count else { return nil }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            guard type == 2 else { continue }
            let isHost = (1...255).contains(length) && value.allSatisfy(\.isHostNameCharacter)
            return isHost ? String(decoding: value, as: UTF8.self) : nil
        }
        return nil
    }
}
