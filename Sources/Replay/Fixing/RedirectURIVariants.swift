import Captures

/// Spellings that a redirect URI is mistaken for.
enum RedirectURIVariants {
    /// `registered`: those that a registration of the capture names come first.
    static func of(_ uri: String, registered: [String]) -> [(id: String, uri: String)] {
        var variants: [(String, String)] = []
        func add(_ id: String, _ other: String) {
            if other != uri, !variants.contains(where: { $0.1 == other }) { variants.append((id, other)) }
        }
        for (index, other) in registered.enumerated() { add("registered-\(index + 1)", other) }
        let decoded = PercentEncoding.decode(uri)
        if RecordedURL(decoded).scheme != nil { add("decoded", decoded) }
        let url = RecordedURL(uri)
        // No redirect URI has a fragment (RFC 6749, section 3.1.2): what else may be wrong is tried without it.
        let sent = url.fragment.map { String(uri.dropLast($0.count + 1)) } ?? uri
        add("without-fragment", sent)
        let place = url.withoutQuery
        let query = sent.dropFirst(place.count)
        if place.hasSuffix("/") {
            add("without-slash", String(place.dropLast()) + query)
        } else if query.isEmpty {
            add("with-slash", place + "/")
        }
        guard let scheme = url.scheme, let authority = url.authority, let host = url.host else {
            return variants
        }
        let rest = String(sent.dropFirst(scheme.count + 3 + authority.count))
        if scheme == "http" { add("https", "https://\(authority)\(rest)") }
        if scheme == "https" { add("http", "http://\(authority)\(rest)") }
        let port = url.explicitPort.map { ":\($0)" } ?? ""
        let loopback = [("127-0-0-1", "127.0.0.1"), ("localhost", "localhost"), ("ipv6", "[::1]")]
        // RFC 8252, section 7.3: an app listens at the address of either family.
        if loopback.contains(where: { $0.1 == host }) {
            for (id, name) in loopback { add(id, "\(scheme)://\(name)\(port)\(rest)") }
        }
        if !port.isEmpty { add("without-port", "\(scheme)://\(authority.dropLast(port.count))\(rest)") }
        if !query.isEmpty { add("without-query", place) }
        return variants
    }
}
