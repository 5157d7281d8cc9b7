internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// How far an address reaches, as far as it matters who may be connected to.
enum AddressReach: Equatable {
    /// 127.0.0.0/8 and `::1`.
    case loopback
    /// 169.254.0.0/16 and `fe80::/10`, where clouds tell their machines' secrets; and `fd00:ec2::254`, where one does.
    case linkLocal
    /// 0.0.0.0/8 and `::`: connecting there is connecting to oneself.
    case unspecified
    case beyond

    init(_ address: SocketAddress) {
        self.init(bytes: Self.bytes(of: address))
    }

    /// The address in network order: 4 or 16 bytes.
    static func bytes(of address: SocketAddress) -> [UInt8] {
        // No name leads to a socket of the file system.
        guard let text = address.ipAddress else { return [127, 0, 0, 1] }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        _ = inet_pton(AF_INET6, text, &bytes)
        return bytes
    }

    /// `bytes`: 4 or 16, in network order.
    init(bytes: [UInt8]) {
        guard bytes.count == 16 else {
            self =
                switch (bytes.first, bytes.dropFirst().first) {
                case (127, _): .loopback
                case (0, _): .unspecified
                case (169, 254): .linkLocal
                default: .beyond
                }
            return
        }
        if let inside = Self.ipv4(in: bytes) {
            self.init(bytes: inside)
        } else if bytes == [UInt8](repeating: 0, count: 15) + [1] {
            self = .loopback
        } else if bytes.allSatisfy({ $0 == 0 }) {
            self = .unspecified
        } else if bytes[0] == 0xfe, bytes[1] & 0xc0 == 0x80 {
            self = .linkLocal
        } else if bytes == [0xfd, 0, 0x0e, 0xc2] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54] {
            self = .linkLocal
        } else {
            self = .beyond
        }
    }

    /// The IPv4 address in one of IPv6 that stands for it: mapped, compatible, of NAT64 or 6to4.
    private static func ipv4(in bytes: [UInt8]) -> [UInt8]? {
        let zeros = bytes.prefix { $0 == 0 }.count
        if zeros == 10, bytes[10] == 0xff, bytes[11] == 0xff { return Array(bytes[12...]) }
        // Not :: and ::1.
        if (12..<15).contains(zeros) { return Array(bytes[12...]) }
        if bytes.starts(with: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]) { return Array(bytes[12...]) }
        if bytes.starts(with: [0x20, 0x02]) { return Array(bytes[2..<6]) }
        return nil
    }

    /// What it is, for a message.
    var words: String {
        switch self {
        case .loopback, .unspecified: "a loopback address"
        case .linkLocal: "a link-local address"
        case .beyond: "an address"
        }
    }
}
