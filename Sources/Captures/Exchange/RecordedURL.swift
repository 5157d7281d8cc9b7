/// A URL as it was written: taken apart by RFC 3986, section 3, nothing decoded and nothing normalised.
///
/// Never fails: what does not look like a URL is all ``path``.
package struct RecordedURL: Sendable, Hashable, CustomStringConvertible {
    /// The text as it was written.
    package let text: String
    /// Without the colon, in the case in which it was written; nil for a relative reference.
    package let scheme: String?
    /// User information, host and port as written; nil where there is no `//`.
    package let authority: String?
    /// As written, up to `?` or `#`.
    package let path: String
    /// After `?`, as written; nil where there is no `?`.
    package let query: String?
    /// After `#`, as written; nil where there is no `#`.
    package let fragment: String?

    package init(_ text: String) {
        self.text = text
        var rest = Substring(text)
        if let hash = rest.utf8.firstIndex(of: 0x23) {
            fragment = String(rest[rest.utf8.index(after: hash)...])
            rest = rest[..<hash]
        } else {
            fragment = nil
        }
        if let mark = rest.utf8.firstIndex(of: 0x3f) {
            query = String(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = nil
        }
        if let colon = rest.utf8.firstIndex(of: 0x3a), Self.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.utf8.index(after: colon)...]
        } else {
            scheme = nil
        }
        if rest.utf8.starts(with: [0x2f, 0x2f]) {
            let start = rest.utf8.index(rest.startIndex, offsetBy: 2)
            let end = rest[start...].utf8.firstIndex(of: 0x2f) ?? rest.endIndex
            authority = String(rest[start..<end])
            rest = rest[end...]
        } else {
            authority = nil
        }
        path = String(rest)
    }

    /// What `init` makes of `scheme://authority` and a target that begins with a slash, without looking for its parts.
    ///
    /// - Parameters:
    ///   - scheme: letters only.
    ///   - authority: without `/`, `?` and `#`.
    ///   - target: path and query.
    package init(scheme: String, authority: String, target: String) {
        self.scheme = scheme
        self.authority = authority
        text = "\(scheme)://\(authority)\(target)"
        let mark = target.utf8.firstIndex { $0 == 0x3f || $0 == 0x23 }
        guard let mark else {
            path = target
            query = nil
            fragment = nil
            return
        }
        path = String(target[..<mark])
        let hash = target.utf8[mark...].firstIndex(of: 0x23)
        fragment = hash.map { String(target[target.utf8.index(after: $0)...]) }
        query =
            target.utf8[mark] == 0x3f
            ? String(target[target.utf8.index(after: mark)..<(hash ?? target.endIndex)]) : nil
    }

    package var description: String { text }

    /// The host in lower case, brackets of an IPv6 address kept; nil without authority.
    package var host: String? {
        guard let hostParts else { return nil }
        return String(hostParts.host).lowercased()
    }

    /// Host and port as written, without user information; nil without authority.
    package var hostAndPort: String? {
        authority.map { String($0[($0.lastIndex(of: "@").map($0.index(after:)) ?? $0.startIndex)...]) }
    }

    /// The port as written; nil where none is written or it is no port.
    package var explicitPort: Int? { hostParts?.port.flatMap { UInt16($0) }.map(Int.init) }

    /// The port as written, else that of `http` (80) or `https` (443); nil where something is written that is
    /// no port.
    package var port: Int? {
        if let written = hostParts?.port, !written.isEmpty { return explicitPort }
        return switch scheme?.lowercased() {
        case "http", "ws": 80
        case "https", "wss": 443
        default: nil
        }
    }

    /// Scheme, host and port as a browser compares origins (RFC 6454, section 4); nil for other schemes than
    /// http and https.
    package var origin: String? {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https", let host, let port
        else {
            return nil
        }
        return "\(scheme)://\(host):\(port)"
    }

    /// Whether this is `http` or `https`.
    package var isWeb: Bool { origin != nil }

    /// The URL without query and fragment, as written.
    package var withoutQuery: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        return text + path
    }

    private var hostParts: (host: Substring, port: Substring?)? {
        guard let authority else { return nil }
        var rest = Substring(authority)
        if let at = rest.utf8.lastIndex(of: 0x40) { rest = rest[rest.utf8.index(after: at)...] }
        if rest.utf8.first == 0x5b, let bracket = rest.utf8.firstIndex(of: 0x5d) {
            let after = rest[rest.utf8.index(after: bracket)...]
            return (
                rest[...bracket],
                after.utf8.first == 0x3a ? after[after.utf8.index(after: after.startIndex)...] : nil
            )
        }
        guard let colon = rest.utf8.lastIndex(of: 0x3a) else { return (rest, nil) }
        return (rest[..<colon], rest[rest.utf8.index(after: colon)...])
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy {
            $0.isASCIIAlphanumeric || $0 == 0x2b || $0 == 0x2d
                || $0 == 0x2e
        }
    }
}
