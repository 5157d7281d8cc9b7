internal import Captures

/// An origin that is played at an address of its own, for clients that take no proxy.
package struct ReverseOrigin: Sendable, Hashable {
    package enum Scheme: String, Sendable {
        case http
        case https

        var defaultPort: Int { self == .https ? 443 : 80 }
    }

    package let scheme: Scheme
    let origin: Origin
    /// Name or address to listen on, without brackets.
    package let listeningHost: String
    /// 0 lets the system pick one.
    package let listeningPort: Int

    /// Reads `ORIGIN=ADDRESS`, as in `https://idp.example=127.0.0.1:9443`.
    ///
    /// - Throws: ``ReverseOriginError``, what is not as it should be.
    package init(_ text: String) throws(ReverseOriginError) {
        guard let equals = text.firstIndex(of: "=") else { throw .noAddress(text) }
        (scheme, origin) = try Self.origin(text[..<equals])
        (listeningHost, listeningPort) = try Self.address(text[text.index(after: equals)...])
    }

    /// The origin's, in lower case, without brackets.
    package var host: String { origin.host }

    /// The origin as a URL writes it, without a slash at the end.
    package var url: String { "\(scheme.rawValue)://\(authority)" }

    /// What stands in a request's `Host`.
    var authority: String { origin.authority(defaultPort: scheme.defaultPort) }

    private static func origin(_ text: Substring) throws(ReverseOriginError) -> (Scheme, Origin) {
        guard let separator = text.firstRange(of: "://") else { throw .noScheme(String(text)) }
        guard let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased()) else {
            throw .noScheme(String(text))
        }
        var authority = text[separator.upperBound...]
        // As an address bar gives it.
        if authority.last == "/" { authority.removeLast() }
        guard !authority.contains(where: { "/?#".contains($0) }) else { throw .pathInOrigin(String(text)) }
        guard authority.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII(String(text)) }
        guard !authority.contains("@"),
            let origin = Origin(authority: String(authority), defaultPort: scheme.defaultPort)
        else { throw .notAnOrigin(String(text)) }
        return (scheme, origin)
    }

    private static func address(_ text: Substring) throws(ReverseOriginError) -> (String, Int) {
        guard let colon = text.lastIndex(of: ":") else { throw .notAnAddress(String(text)) }
        let digits = text[text.index(after: colon)...]
        let host = text[..<colon]
        guard !digits.isEmpty, digits.utf8.count <= 5, digits.utf8.allSatisfy({ $0.isASCIIDigit }),
            let port = Int(digits), port <= 65_535
        else { throw .notAnAddress(String(text)) }
        // As with --listen.
        if host.isEmpty { return ("127.0.0.1", port) }
        guard !host.contains("@"), let origin = Origin(authority: "\(host):1", defaultPort: nil) else {
            throw .notAnAddress(String(text))
        }
        return (origin.host, port)
    }
}

/// Why a text is no ``ReverseOrigin``.
package enum ReverseOriginError: Error, Equatable, CustomStringConvertible {
    /// There is no `=`.
    case noAddress(String)
    /// The origin does not begin with `https://` or `http://`.
    case noScheme(String)
    /// There is more behind the origin's host and port.
    case pathInOrigin(String)
    /// The origin's host is not written as DNS has it (RFC 5890, section 2.3.2.1).
    case notASCII(String)
    /// The origin's host or port is none.
    case notAnOrigin(String)
    /// The address is not `HOST:PORT`.
    case notAnAddress(String)

    package var description: String {
        switch self {
        case .noAddress(let text): "\(text) does not say at which address: ORIGIN=HOST:PORT"
        case .noScheme(let text): "\(text) does not begin with https:// or http://"
        case .pathInOrigin(let text): "\(text) is more than an origin: scheme, host and port are all of it"
        case .notASCII(let text): "\(text) is not written as DNS has it: xn--…, in ASCII"
        case .notAnOrigin(let text): "\(text) has no usable host and port"
        case .notAnAddress(let text): "\(text.isEmpty ? "nothing" : text) is no address of the form HOST:PORT"
        }
    }
}
