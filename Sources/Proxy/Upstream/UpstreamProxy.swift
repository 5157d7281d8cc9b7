/// A proxy by which providers are reached, where there is no direct way to them.
package struct UpstreamProxy: Sendable, Hashable, CustomStringConvertible {
    package enum Scheme: String, Sendable, CaseIterable {
        /// `CONNECT`, and plain http in absolute form.
        case http
        /// The same, inside TLS.
        case https
        /// SOCKS 5 (RFC 1928); names are resolved here.
        case socks5
        /// SOCKS 5; names are resolved by the proxy.
        case socks5h

        var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            case .socks5, .socks5h: 1080
            }
        }

        var isSOCKS: Bool { self == .socks5 || self == .socks5h }
    }

    package let scheme: Scheme
    let origin: Origin
    /// What it asks for.
    package var credentials: BasicCredentials?
    /// The hosts that are connected to without it, besides those of this machine's loopback.
    package var directHosts: [HostPattern] = []

    /// Reads `http://user:password@proxy.example:3128`.
    ///
    /// User name and password are percent-decoded. No error repeats more of the text than its scheme, since it may hold
    /// a password.
    ///
    /// - Throws: ``UpstreamProxyError``, what is not as it should be.
    package init(_ text: String) throws(UpstreamProxyError) {
        guard let separator = text.firstRange(of: "://") else { throw .noScheme }
        let name = text[..<separator.lowerBound].lowercased()
        guard let scheme = Scheme(rawValue: name) else {
            let isName =
                !name.isEmpty && name.utf8.count <= 20 && name.utf8.allSatisfy { $0 < 0x7f && $0 > 0x20 }
            throw .unknownScheme(isName ? name : "this")
        }
        var authority = text[separator.upperBound...]
        if authority.last == "/" { authority.removeLast() }
        guard !authority.contains(where: { "/?#".contains($0) }) else { throw .pathInURL }
        if let at = authority.lastIndex(of: "@") {
            credentials = try Self.credentials(authority[..<at])
            authority = authority[authority.index(after: at)...]
        }
        guard let origin = Origin(authority: String(authority), defaultPort: scheme.defaultPort) else {
            throw .notAnAddress
        }
        self.scheme = scheme
        self.origin = origin
        if let credentials { try setCredentials(credentials) }
    }

    /// Sets what the proxy asks for.
    ///
    /// - Throws: ``UpstreamProxyError/credentialsTooLong`` for more than SOCKS has room for.
    package mutating func setCredentials(_ credentials: BasicCredentials) throws(UpstreamProxyError) {
        let longest = max(credentials.user.utf8.count, credentials.password.utf8.count)
        guard !scheme.isSOCKS || longest <= 255 else { throw .credentialsTooLong }
        self.credentials = credentials
    }

    /// Without user name and password.
    package var description: String { "\(scheme.rawValue)://\(origin)" }

    /// What is added to words about a provider that is reached by way of a proxy; nothing where it is not.
    static func way(by proxy: UpstreamProxy?) -> String {
        proxy.map { " (by way of the upstream proxy \($0))" } ?? ""
    }

    /// Whether a host is connected to without the proxy.
    func isPassedBy(_ host: String) -> Bool {
        HostResolver.isLoopback(host) || directHosts.contains { $0.matches(host) }
    }

    private static func credentials(_ text: Substring) throws(UpstreamProxyError) -> BasicCredentials {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        let user = try decode(text[..<colon])
        let password = try decode(text[colon...].dropFirst())
        guard let credentials = BasicCredentials(user: user, password: password) else {
            throw .badCredentials
        }
        return credentials
    }

    private static func decode(_ text: Substring) throws(UpstreamProxyError) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ UInt8(ascii: "0") <= $0 }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw .badCredentials }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .badCredentials }
        return decoded
    }
}

/// Why a text is no ``UpstreamProxy``.
package enum UpstreamProxyError: Error, Equatable, CustomStringConvertible {
    /// It does not begin with one.
    case noScheme
    /// The scheme is none of ours.
    case unknownScheme(String)
    /// The host or port is none.
    case notAnAddress
    /// There is more behind host and port.
    case pathInURL
    /// User name or password is not percent-encoded as it should be, empty, or holds control characters.
    case badCredentials
    /// SOCKS has room for 255 bytes each.
    case credentialsTooLong

    package var description: String {
        switch self {
        case .noScheme: "the proxy's URL begins with http://, https://, socks5:// or socks5h://"
        case .unknownScheme(let scheme): "\(scheme):// is none of http://, https://, socks5:// and socks5h://"
        case .notAnAddress: "what stands behind the scheme is no HOST:PORT"
        case .pathInURL:
            "a proxy's URL ends with its port (a / ? or # in a password is written %2F, %3F, %23)"
        case .badCredentials:
            "user name and password cannot be read: @ : / and % in them are written %40, %3A, %2F and %25"
        case .credentialsTooLong: "SOCKS has room for 255 bytes of user name and of password"
        }
    }
}
