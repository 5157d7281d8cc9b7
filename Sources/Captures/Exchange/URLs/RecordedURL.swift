import JSON

/// A URL as it was written: taken apart by RFC 3986, section 3, nothing decoded and nothing normalised.
///
/// Never fails: what does not look like a URL is all ``path``.
package struct RecordedURL: Sendable, Hashable, CustomStringConvertible {
    /// Shared by all copies, which are many.
    private final class Parts: Sendable {
        let text: String
        /// Nil where there is neither scheme nor authority.
        let server: URLServer?
        let path: String
        let query: String?
        let fragment: String?

        init(text: String, server: URLServer?, path: String, query: String?, fragment: String?) {
            self.text = text
            self.server = server
            self.path = path
            self.query = query
            self.fragment = fragment
        }
    }

    private let parts: Parts

    package init(_ text: String) {
        var rest = Substring(text)
        let (fragment, query) = (Self.cut(&rest, behind: 0x23), Self.cut(&rest, behind: 0x3f))
        var end = rest.startIndex
        var authority: Substring?
        let scheme = rest.utf8.firstIndex(of: 0x3a).map { rest[..<$0] }.flatMap {
            Self.isScheme($0) ? $0 : nil
        }
        if let scheme { end = rest.utf8.index(after: scheme.endIndex) }
        if rest[end...].utf8.starts(with: [0x2f, 0x2f]) {
            let start = rest.utf8.index(end, offsetBy: 2)
            end = rest[start...].utf8.firstIndex(of: 0x2f) ?? rest.endIndex
            authority = rest[start..<end]
        }
        parts = Parts(
            text: text,
            server: end == rest.startIndex
                ? nil : URLServer.called(rest[..<end], scheme: scheme, authority: authority),
            path: String(rest[end...]),
            query: query,
            fragment: fragment
        )
    }

    /// What `init` makes of `scheme://authority` and a target that begins with a slash, without looking for its parts.
    ///
    /// - Parameters:
    ///   - scheme: letters only.
    ///   - authority: without `/`, `?` and `#`.
    ///   - target: path and query.
    package init(scheme: String, authority: String, target: String) {
        let server = "\(scheme)://\(authority)"
        var rest = Substring(target)
        let (fragment, query) = (Self.cut(&rest, behind: 0x23), Self.cut(&rest, behind: 0x3f))
        parts = Parts(
            text: server + target,
            server: URLServer.called(
                Substring(server),
                scheme: Substring(scheme),
                authority: Substring(authority)
            ),
            path: String(rest),
            query: query,
            fragment: fragment
        )
    }

    /// Takes the part behind the first of these bytes off, and the byte; nil where there is none.
    private static func cut(_ rest: inout Substring, behind byte: UInt8) -> String? {
        guard let place = rest.utf8.firstIndex(of: byte) else { return nil }
        defer { rest = rest[..<place] }
        return String(rest[rest.utf8.index(after: place)...])
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy {
            $0.isASCIIAlphanumeric || $0 == 0x2b || $0 == 0x2d
                || $0 == 0x2e
        }
    }

    // The parts are made of the text.
    package static func == (left: RecordedURL, right: RecordedURL) -> Bool {
        left.parts === right.parts || left.text.equalsBytes(of: right.text)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ByteText(text)) }
}

// MARK: - Parts

extension RecordedURL {
    /// The text as it was written.
    package var text: String { parts.text }
    /// Without the colon, in the case in which it was written; nil for a relative reference.
    package var scheme: String? { parts.server?.scheme }
    /// User information, host and port as written; nil where there is no `//`.
    package var authority: String? { parts.server?.authority }
    /// As written, up to `?` or `#`.
    package var path: String { parts.path }
    /// After `?`, as written; nil where there is no `?`.
    package var query: String? { parts.query }
    /// After `#`, as written; nil where there is no `#`.
    package var fragment: String? { parts.fragment }

    package var description: String { text }

    /// The host in lower case, brackets of an IPv6 address kept; nil without authority.
    package var host: String? { parts.server?.host }

    /// Host and port as written, without user information; nil without authority.
    package var hostAndPort: String? { parts.server?.hostAndPort }

    /// The port as written; nil where none is written or it is no port.
    package var explicitPort: Int? { parts.server?.explicitPort }

    /// The port as written, else that of `http` (80) or `https` (443); nil where something is written that is
    /// no port.
    package var port: Int? { parts.server?.port }

    /// Scheme, host and port as a browser compares origins (RFC 6454, section 4); nil for other schemes than
    /// http and https.
    package var origin: String? { parts.server?.origin }

    /// What tells servers apart: the host in lower case, with a port that is none of `http` and `https`; nil without authority.
    ///
    /// One that leads from `http` to `https` is the same, and so it is with its port written or left out (RFC 3986, section 6.2.3);
    /// who ends TLS in front of a server hands on the host that it was asked for, with its port.
    package var server: String? { parts.server?.server }

    /// Whether another is at the same server; none is without authority.
    ///
    /// On a developer's machine an app and its provider differ by their ports alone.
    package func isAtServer(of other: RecordedURL) -> Bool {
        server.map { $0 == other.server } ?? false
    }

    /// Whether this is `http` or `https`.
    package var isWeb: Bool { origin != nil }

    /// The URL without query and fragment, as written.
    package var withoutQuery: String {
        query == nil && fragment == nil ? text : (parts.server?.text ?? "") + path
    }

    /// Where it leads, as people are told: host, port and path, with the scheme where that is none of the web's.
    ///
    /// Without user information, in which a password may stand (RFC 3986, section 3.2.1), query and fragment.
    package var shown: String {
        guard let hostAndPort else { return (scheme.map { "\($0):" } ?? "") + path }
        let isOther = scheme.map { !["http", "https", "ws", "wss"].contains($0.lowercased()) } ?? false
        return (isOther ? "\(scheme ?? "")://" : "") + hostAndPort + path
    }

    /// Path and query as written, as they stand in a request's line.
    package var pathAndQuery: String { path + (query.map { "?\($0)" } ?? "") }

    /// The URL without query and fragment as a browser asks for it: the host in lower case, the port written out, a slash where
    /// the path is empty (RFC 3986, section 6.2.3), and percent-encoded what is no ASCII in it; for other schemes than http and
    /// https as written but for the scheme itself, which is in lower case (section 6.2.2.1).
    package var normalizedWithoutQuery: String {
        guard let origin else {
            guard let scheme else { return withoutQuery }
            let lowercased = scheme.asciiLowercased()
            return lowercased == scheme
                ? withoutQuery : lowercased + withoutQuery.dropFirst(scheme.utf8.count)
        }
        guard !path.isEmpty else { return origin + "/" }
        return origin
            + (PercentEncoding.encodingNonASCII(path.utf8).map { String(decoding: $0, as: UTF8.self) } ?? path)
    }
}
