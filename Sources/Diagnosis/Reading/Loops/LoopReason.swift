import Captures
import Flows
import OAuth

/// What the rounds of a login in a circle show of the reason for which the app does not know its user any more.
enum LoopReason {
    /// Browsers do not keep its session's cookie.
    case cookieTooLarge
    /// Browsers do not send it to the page behind the callback.
    case cookieWithheld(WithheldSession)
    /// It was given nothing to know its user by; what shows that.
    case noIDToken([Evidence])

    var evidence: [Evidence] {
        if case .noIDToken(let evidence) = self { evidence } else { [] }
    }

    var words: Violation.Words {
        switch self {
        case .cookieTooLarge: Self.tooLarge
        case .cookieWithheld(let session): session.words
        case .noIDToken: Self.withoutIDToken
        }
    }

    /// Nil where the rounds do not show it; `callbacks`: those of the rounds, in order of time.
    static func of(_ request: AuthorizationRequest, at callbacks: [Int], in flow: Flow) -> LoopReason? {
        if callbacks.contains(where: { oversized(at: $0, flow) != nil }) { return .cookieTooLarge }
        guard let first = callbacks.first else { return nil }
        if let session = WithheldSession(setBy: first, in: flow), session.isAllThatIsSet {
            return .cookieWithheld(session)
        }
        return tokensWithoutIDToken(at: first, of: request, flow).map(LoopReason.noIDToken)
    }

    /// A cookie of the callback's that no browser keeps for its size (RFC 6265, section 6.1).
    static func oversized(at callback: Int, _ flow: Flow) -> (name: String, size: Int)? {
        let cookies = flow.capture[callback].response?.setCookies ?? []
        return cookies.map { ($0.name, $0.name.utf8.count + $0.value.utf8.count) }
            .first { $0.1 > mostBytes }
    }

    /// What shows that a client of OpenID Connect, which read the provider's metadata, exchanged the code of a round and got no ID
    /// token, for which its scope does not ask.
    private static func tokensWithoutIDToken(at callback: Int, of request: AuthorizationRequest, _ flow: Flow)
        -> [Evidence]?
    {
        let scopes = (request.parameters["scope"] ?? "").spaceDelimited
        guard !scopes.contains("openid"),
            let code = flow.capture[callback].request.url.queryItems.first("code"),
            flow.serverMetadata.contains(where: {
                $0.isUsable && $0.url.path.hasSuffix("/openid-configuration")
            }),
            let exchange = flow.tokenRequests.first(where: { $0.code == code }),
            exchange.answer.isSuccess, exchange.answer.isBodyWhole, exchange.accessToken != nil,
            (exchange.answer.parameters["id_token"] ?? "").isEmpty
        else { return nil }
        let names = exchange.answer.parameters.items.prefix(20).map(\.name).joined(separator: ", ")
        return [
            request.parameters.parameter("scope").map { Evidence($0, note: "openid is not in it") }
                ?? Evidence(
                    place: Place(exchange: request.exchange, part: .requestQuery, name: "scope"),
                    value: "none"
                ),
            Evidence(
                place: exchange.answer.place("id_token"),
                value: Masking.shown(names, of: "members"),
                note: "all members of the answer"
            ),
        ]
    }

    private static let withoutIDToken = Violation.Words(
        explanation: """
            The app took each code and exchanged it, and got no ID token to know its user by: the scope that it asks for has no openid. So it began another \
            login each time, which the provider answered at once.
            """,
        fix: """
            Add openid to the scope. With Entra keep the scopes of one resource together, openid among them; where the app only needs an access token, \
            configure it as a client of OAuth 2.0 and not of OpenID Connect.
            """
    )

    /// In bytes.
    static let mostBytes = 4096
    private static let tooLarge = Violation.Words(
        explanation: """
            The callback sets a session cookie that is larger than browsers keep. They drop it without a word, so the next page knows nobody and begins a login \
            again, which the provider answers at once.
            """,
        fix: """
            Keep the session on the server (a store such as Redis) and an id in the cookie, or leave out of it what makes it large: access tokens with many \
            groups or roles above all. Some proxies split such a cookie in parts if they are told to.
            """
    )
}
