internal import Captures
internal import NIOCore

/// A host with a port.
struct Origin: Hashable, CustomStringConvertible {
    /// A name in lower case, or an address without brackets, with its zone as the system writes it (`fe80::1%eth0`).
    let host: String
    let port: Int
    let isIPv6: Bool

    /// - Parameters:
    ///   - authority: `host:port`, `[address]:port`; user information is left out.
    ///   - defaultPort: where none is written; nil makes it obligatory.
    init?(authority: String, defaultPort: Int?) {
        var rest = Array(authority.utf8)[...]
        if let at = rest.lastIndex(of: 0x40) { rest = rest[(at + 1)...] }
        if rest.first == 0x5b {
            guard let bracket = rest.firstIndex(of: 0x5d),
                let address = Self.address(rest[(rest.startIndex + 1)..<bracket])
            else { return nil }
            host = address
            rest = rest[(bracket + 1)...]
            isIPv6 = true
        } else {
            let colon = rest.firstIndex(of: 0x3a) ?? rest.endIndex
            let name = rest[..<colon]
            rest = rest[colon...]
            guard !name.isEmpty, name.count <= 253, name.allSatisfy(\.isHostNameCharacter) else { return nil }
            host = String(decoding: name, as: UTF8.self).lowercased()
            isIPv6 = false
        }
        // A port may be left empty (RFC 3986, section 3.2.3).
        if rest.isEmpty || rest.elementsEqual(":".utf8) {
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
        self.init(authority: URLAuthority.text(address, port: port), defaultPort: nil)
    }

    /// Where a socket is; nil where that is no address of the internet.
    init?(of address: SocketAddress?) {
        guard let ip = address?.ipAddress, let port = address?.port else { return nil }
        self.init(address: MachineAddresses.canonical(ip), port: port)
    }

    /// The host as a URL writes it.
    var hostInURL: String { isIPv6 ? "[\(host)]" : host }

    var description: String { "\(hostInURL):\(port)" }

    /// The host as TLS names it: a final dot is for the resolver, an address' zone for the system; certificates and the
    /// server name extension do not have them (RFC 6066, section 3).
    var hostInTLS: String {
        if isIPv6 { return String(host.prefix { $0 != "%" }) }
        return String(host.withoutFinalDot)
    }

    /// As a URL writes it, without the port that its scheme implies.
    func authority(defaultPort: Int) -> String { port == defaultPort ? hostInURL : description }

    /// Whether the bytes can be a name of DNS as clients send it (letters, digits, `-`, `.`, and `_`, which
    /// occurs).
    static func isHostName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253 && name.utf8.allSatisfy(\.isHostNameCharacter)
    }

    /// What stands in the brackets of an address; nil where that is none.
    ///
    /// The `%` before a zone is percent-encoded in a URL (RFC 6874, section 2), which not all who write one know. The zone is
    /// the name of an interface, in which case counts.
    private static func address(_ text: ArraySlice<UInt8>) -> String? {
        let percent = text.firstIndex(of: 0x25) ?? text.endIndex
        let address = text[..<percent]
        guard !address.isEmpty, address.allSatisfy(isAddressByte) else { return nil }
        let digits = String(decoding: address, as: UTF8.self).lowercased()
        guard percent < text.endIndex else { return digits }
        var zone = text[(percent + 1)...]
        if zone.count > 2, zone.starts(with: "25".utf8) { zone = zone.dropFirst(2) }
        guard !zone.isEmpty, zone.allSatisfy(\.isHostNameCharacter) else { return nil }
        return "\(digits)%\(String(decoding: zone, as: UTF8.self))"
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2e, 0x3a: true
        default: false
        }
    }
}
