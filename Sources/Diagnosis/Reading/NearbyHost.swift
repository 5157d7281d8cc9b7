import Captures

/// Names and addresses that are no public ones: of this machine and of the network that it is in.
enum NearbyHost {
    /// By a name that the public DNS does not have (RFC 6761, RFC 6762), or an address that is not routed there (RFC 1918, RFC 3927,
    /// RFC 4193, RFC 4291, section 2.5.6); an IPv6 address with or without its brackets, with a zone or a port behind it.
    static func isNearby(_ host: String) -> Bool {
        let name = host.asciiLowercased()
        if LoopbackHost.isLoopback(name) { return true }
        if name.hasPrefix("[") || name.split(separator: ":", omittingEmptySubsequences: false).count > 2 {
            return isNearbyIPv6(name.drop { $0 == "[" }.prefix { $0 != "]" && $0 != "%" })
        }
        var labels = name.prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        guard let last = labels.last, labels.count > 1 else { return true }
        if labels.count == 4, case let bytes = labels.compactMap({ UInt8($0) }), bytes.count == 4 {
            return isNearbyIPv4(bytes[0], bytes[1])
        }
        return names.contains(String(last)) || labels.suffix(2) == ["home", "arpa"]
    }

    private static let names: Set<String> = ["local", "localhost", "test", "internal", "lan", "home"]

    private static func isNearbyIPv4(_ first: UInt8, _ second: UInt8) -> Bool {
        switch (first, second) {
        case (0, _), (10, _), (127, _), (172, 16...31), (192, 168), (169, 254): true
        default: false
        }
    }

    private static func isNearbyIPv6(_ address: Substring) -> Bool {
        if address == "::1" || address == "::" { return true }
        if address.contains(".") {
            // An IPv4 address in another's clothes (RFC 4291, section 2.5.5.2).
            return address.split(separator: ":").last.map { isNearby(String($0)) } ?? false
        }
        guard let group = address.split(separator: ":", omittingEmptySubsequences: false).first,
            let first = UInt16(group, radix: 16)
        else { return false }
        return first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80
    }
}
