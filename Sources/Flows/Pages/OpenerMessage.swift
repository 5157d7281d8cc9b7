package import Captures

/// What the page at the redirect URI of a login in a window of its own tells the window that opened it: the app's server has written into a
/// script how the login went.
///
/// Read are the messages of Decap CMS and its kin (`authorization:github:error:{…}`) and of Backstage (an object of the type
/// `authorization_response`, percent-encoded).
package enum OpenerMessage {
    /// The error that is told, from its beginning on; nil where none is, or where the page can tell both.
    package static func error(on body: Body?) -> String? {
        guard let body, body.isPage, (body.size ?? 0) < largest, let text = body.text,
            text.containsBytes("postMessage")
        else { return nil }
        return ofContentManager(text) ?? ofBackstage(text)
    }

    private static let largest = 1 << 16

    private static func ofContentManager(_ text: String) -> String? {
        let outcomes = text.ranges(of: "authorization:").compactMap {
            start -> (provider: String, rest: Substring)? in
            let rest = text[start.upperBound...]
            guard let end = rest.firstIndex(of: ":"), rest[..<end].utf8.count < 40 else { return nil }
            return (String(rest[..<end]), rest[rest.index(after: end)...])
        }
        guard !outcomes.contains(where: { $0.rest.hasPrefix("success") }),
            let told = outcomes.first(where: { $0.rest.hasPrefix("error:") })
        else { return nil }
        return String(told.rest.prefix(400))
    }

    private static func ofBackstage(_ text: String) -> String? {
        let decoded = PercentEncoding.decode(text)
        let beginning = #"{"type":"authorization_response","error":"#
        return decoded.firstRange(of: beginning).map { String(decoded[$0.upperBound...].prefix(400)) }
    }
}
