import JSON

/// A value that one side of a login is given and the other one brings on, and what an exchange does with it.
package struct HandedOverValue: Sendable, Hashable {
    /// What an exchange does with a value.
    package enum Use: Sendable {
        /// The answer redirects with an authorization code (RFC 6749, section 4.1.2).
        case issued
        /// The browser brings an authorization code to the client.
        case called
        /// A token request spends an authorization code (RFC 6749, section 4.1.3).
        case spent
        /// The answer gives a `request_uri` out (RFC 9126, section 2.2).
        case pushed
        /// The browser brings a `request_uri`.
        case asked
    }

    package var use: Use
    /// The code or the `request_uri`.
    package var text: String

    package init(use: Use, text: String) {
        self.use = use
        self.text = text
    }

    /// What gives out the value that this use brings on, the latest first; none of what gives one out itself.
    package var givers: [HandedOverValue] {
        switch use {
        case .spent: [HandedOverValue(use: .called, text: text), HandedOverValue(use: .issued, text: text)]
        case .asked: [HandedOverValue(use: .pushed, text: text)]
        case .issued, .called, .pushed: []
        }
    }

    /// What an exchange has of them, at most one for each use.
    package static func all(in exchange: Exchange) -> [HandedOverValue] {
        var found: [HandedOverValue] = []
        let query = exchange.request.url.queryItems
        if let code = code(in: query) { found.append(HandedOverValue(use: .called, text: code)) }
        if let uri = query.first("request_uri") { found.append(HandedOverValue(use: .asked, text: uri)) }
        if let code = exchange.response?.location.flatMap({ code(in: RecordedURL($0).queryItems) }) {
            found.append(HandedOverValue(use: .issued, text: code))
        }
        guard exchange.request.method == "POST", let form = FormBody.items(of: exchange.request.body) else {
            return found
        }
        if form.first("grant_type") != nil, let code = form.first("code") {
            found.append(HandedOverValue(use: .spent, text: code))
        } else if form.first("client_id") != nil || form.first("response_type") != nil,
            let bytes = exchange.response?.body?.bytes, bytes.count < 1 << 12,
            let uri = (try? JSONParser.parse(bytes))?["request_uri"]?.string
        {
            found.append(HandedOverValue(use: .pushed, text: uri))
        }
        return found
    }

    /// Shorter ones are no codes of OAuth's.
    private static func code(in query: QueryItems) -> String? {
        query.first("code").flatMap { $0.utf8.count >= 8 ? $0 : nil }
    }
}
