import Captures
import LibCrypto
import Proxy

/// Which host is shown which client certificate.
struct ClientCertificates: Sendable {
    /// What stands before the equals sign: a host, or all below a domain, at one port or at any.
    struct Place: Sendable, Hashable {
        let host: HostPattern
        let port: Int?
        /// Where several fit, the one that says most counts: a name before a domain, a long domain before a short one,
        /// a port before none.
        fileprivate let weight: Int

        /// Nil for what is no host.
        init?(_ text: String) {
            var host = Substring(text.lowercased())
            var port: Int?
            let isAddress = host.hasPrefix("[") || host.utf8.filter { $0 == 0x3a }.count > 1
            if let colon = host.lastIndex(of: ":"), !isAddress || host.hasPrefix("["), !host.hasSuffix("]") {
                guard let number = Int(host[host.index(after: colon)...]), (1...65535).contains(number) else {
                    return nil
                }
                port = number
                host = host[..<colon]
            }
            host = host.withoutBrackets
            let isWild = host.hasPrefix("*.")
            let name = isWild ? host.dropFirst(2) : host
            let isHost = name.utf8.allSatisfy { byte in
                byte.isASCIIDigit || (0x61...0x7a).contains(byte) || "-._".utf8.contains(byte)
                    || isAddress && byte == 0x3a
            }
            guard isHost, !name.isEmpty, name.utf8.first != 0x2e else { return nil }
            self.host = HostPattern(String(host))
            self.port = port
            weight = (isWild ? 0 : 1 << 20) + name.utf8.count * 2 + (port == nil ? 0 : 1)
        }

        func matches(_ host: String, _ port: Int) -> Bool {
            self.host.matches(host) && (self.port.map { $0 == port } ?? true)
        }
    }

    private var entries: [(place: Place, key: CertifiedKey)] = []

    /// Whether the place was free.
    mutating func add(_ key: CertifiedKey, for place: Place) -> Bool {
        guard !entries.contains(where: { $0.place == place }) else { return false }
        let index = entries.firstIndex { $0.place.weight < place.weight } ?? entries.endIndex
        entries.insert((place, key), at: index)
        return true
    }

    /// What a host is shown; nil for nothing.
    func certificate(for host: String, port: Int) -> CertifiedKey? {
        entries.first { $0.place.matches(host, port) }?.key
    }
}
