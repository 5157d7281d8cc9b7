internal import Captures

/// A host with a port.
struct Origin: Hashable, CustomStringConvertible {
    /// A name in lower case, or an address without brackets.
    let host: String
    let port: Int
    let isIPv6: Bool

    /// - Parameters:
    ///   - authority: `host:port`, `[address]:port`; user information is left out.
    ///   - defaultPort: where none is written; nil makes it obligatory.
    init?(authority: String, defaultPort: Int?) {
        var rest = Array(authority.utf8)[...]
        if let at = rest.lastIndex(of: 0x40) { rest = rest[(at + 1)...] }
        let host: ArraySlice<UInt8>
        if rest.first == 0x5b {
            guard let bracket = rest.firstIndex(of: 0x5d) else { return nil }
            host = rest[(rest.startIndex + 1)..<bracket]
            rest = rest[(bracket + 1)...]
            guard !host.isEmpty, host.allSatisfy(Self.isAddressByte) else { return nil }
            isIPv6 = true
        } else {
            let colon = rest.firstIndex(of: 0x3a) ?? rest.endIndex
            host = rest[..<colon]
            rest = rest[colon...]
            guard !host.isEmpty, host.count <= 253, host.allSatisfy(Self.isHostByte) else { return nil }
            isIPv6 = false
        }
        self.host = String(decoding: host, as: UTF8.self).lowercased()
        if rest.isEmpty || rest.count == 1 {
            guard let defaultPort else { return nil }
            port = defaultPort
        } else {
            let digits = rest.dropFirst()
            guard rest.first == 0x3a, digits.count <= 5, digits.allSatisfy({ $0.isASCIIDigit }),
                let number = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(number)
            else { return nil }
            port = number
        }
    }

    /// `address`: as the system writes it, without brackets.
    init?(address: String, port: Int) {
        self.init(
            authority: (address.contains(":") ? "[\(address)]" : address) + ":\(port)",
            defaultPort: nil
        )
    }

    /// The host as a URL writes it.
    var hostInURL: String { isIPv6 ? "[\(host)]" : host }

    var description: String { "\(hostInURL):\(port)" }

    /// The host as TLS names it: a final dot is for the resolver, an address' zone for the system; certificates and the
    /// server name extension do not have them (RFC 6066, section 3).
    var hostInTLS: String {
        if isIPv6 { return String(host.prefix { $0 != "%" }) }
        return host.utf8.last == 0x2e ? String(host.dropLast()) : host
    }

    /// As a URL writes it, without the port that its scheme implies.
    func authority(defaultPort: Int) -> String { port == defaultPort ? hostInURL : description }

    /// Whether the bytes can be a name of DNS as clients send it (letters, digits, `-`, `.`, and `_`, which
    /// occurs).
    static func isHostName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253 && name.utf8.allSatisfy(isHostByte)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2e, 0x3a, 0x25: true
        default: false
        }
    }
}
