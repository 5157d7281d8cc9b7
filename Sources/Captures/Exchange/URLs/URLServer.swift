import Synchronization

/// The beginning of a URL, up to the end of its authority (RFC 3986, section 3.2), taken apart once for all URLs that begin so.
final class URLServer: Sendable {
    /// As it was written: `https://user@idp.example:8443`, `//idp.example`, `com.example.app:`.
    let text: String
    let scheme: String?
    let authority: String?
    /// In lower case.
    let host: String?
    /// Without user information, as written.
    let hostAndPort: String?
    /// Nil where none is written, or no port.
    let explicitPort: Int?
    /// As written, else by the scheme.
    let port: Int?
    let origin: String?
    let server: String?

    private init(_ text: Substring, scheme: Substring?, authority: Substring?) {
        self.text = String(text)
        self.scheme = scheme.map(String.init)
        self.authority = authority.map(String.init)
        let place = authority.map {
            $0[($0.utf8.lastIndex(of: 0x40).map($0.utf8.index(after:)) ?? $0.startIndex)...]
        }
        hostAndPort = place.map(String.init)
        let parts = place.map(Self.parts)
        let host = parts.map { String($0.host).lowercased() }
        let kind = scheme?.lowercased()
        explicitPort = parts?.port.flatMap { UInt16($0) }.map(Int.init)
        port = if let written = parts?.port, !written.isEmpty { explicitPort } else { Self.ports[kind ?? ""] }
        origin =
            if let kind, kind == "http" || kind == "https", let host, let port {
                "\(kind)://\(host):\(port)"
            } else {
                nil
            }
        server =
            if let host, let explicitPort, !Self.ports.values.contains(explicitPort) {
                "\(host):\(explicitPort)"
            } else {
                host
            }
        self.host = host
    }

    private static let ports = ["http": 80, "ws": 80, "https": 443, "wss": 443]

    private static func parts(_ place: Substring) -> (host: Substring, port: Substring?) {
        if place.utf8.first == 0x5b, let bracket = place.utf8.firstIndex(of: 0x5d) {
            let after = place[place.utf8.index(after: bracket)...]
            return (place[...bracket], after.utf8.first == 0x3a ? after.dropFirst() : nil)
        }
        guard let colon = place.utf8.lastIndex(of: 0x3a) else { return (place, nil) }
        return (place[..<colon], place[place.utf8.index(after: colon)...])
    }

    // MARK: - Those that are known

    private static let known = Mutex<[Substring: URLServer]>([:])
    /// A capture may name any number of servers.
    private static let mostKnown = 1 << 10

    /// The one of a text, with its scheme and authority.
    static func called(_ text: Substring, scheme: Substring?, authority: Substring?) -> URLServer {
        // Texts are equal that are written in other code points.
        if let server = known.withLock({ $0[text] }), server.text.utf8.elementsEqual(text.utf8) {
            return server
        }
        let server = URLServer(text, scheme: scheme, authority: authority)
        known.withLock { known in
            if known.count >= mostKnown { known.removeAll(keepingCapacity: true) }
            // Of its own text: the other one may be a part of a long one.
            known[Substring(server.text)] = server
        }
        return server
    }
}
