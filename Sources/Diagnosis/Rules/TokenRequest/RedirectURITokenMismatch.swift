import Captures
import Flows
import JSON
import OAuth

/// The token request names another `redirect_uri` than the authorization request did.
///
/// The provider has to compare the two and refuse with `invalid_grant` (RFC 6749, section 4.1.3). Usual
/// causes: a trailing slash, `localhost` against `127.0.0.1`, a port chosen anew, the URL of the callback
/// with code and state still on it. Send the very same string in both.
struct RedirectURITokenMismatch: Rule {
    static let info = RuleInfo(
        id: "redirect-uri-token-mismatch",
        title: "The token request names another redirect URI than the login did",
        severity: .errorWhenRefused,
        explanation: """
            Where the login request names a redirect_uri, the token request has to name the same one, and the provider compares the two as \
            strings before it gives out tokens. Here they differ.
            """,
        fix:
            "Send in the token request the very string that the authorization request had, before any encoding.",
        badExample: """
            GET /authorize?…&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback
            POST /token  grant_type=authorization_code&code=…&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback%2F
            """,
        goodExample: """
            GET /authorize?…&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback
            POST /token  grant_type=authorization_code&code=…&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback
            """,
        specifications: [.rfc(6749, "4.1.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var isUncertain = flow.hasUnsavedTokenRequest
        var isOfCode = false
        var found: Violation?
        for login in flow.askedLogins {
            let certain = flow.certainTokenRequests(of: login)
            isUncertain = isUncertain || certain.count < login.tokenRequests.count
            guard let asked = login.request.parameters.parameter("redirect_uri"), !asked.value.isEmpty else {
                continue
            }
            for request in certain {
                let sent = request.parameters.parameter("redirect_uri")
                // What has no value counts as left out (RFC 6749, section 3.2).
                let isMissing = sent?.value.isEmpty ?? true
                guard !asked.value.equalsBytes(of: sent?.value) else { continue }
                // GitHub, Naver, Shopify, WeChat and WorkOS do not want it.
                if isMissing, flow.provider == .github || isUnwanted(by: request, flow) { continue }
                // Who misses it does not speak of the code, nor of the client's assertion.
                if sent == nil, request.answer.isRefusal, request.answer.speaksOfCode {
                    isOfCode = true
                    continue
                }
                if sent == nil, isOfAssertion(request, flow) { continue }
                // What is registered for a window of the provider's is a word of its own.
                if login.request.redirectURI == nil, !StatedGrantFault.isRedirectURICalledWrong(request) {
                    continue
                }
                let severity = severity(request, isMissing: isMissing)
                if let found, (found.severity ?? .error) == .error || severity != .error { continue }
                found = Violation(
                    evidence(asked, sent, request),
                    severity: severity,
                    exchange: request.exchange
                )
            }
        }
        if let found { return .violated(found) }
        if isOfCode {
            return .abstains("the token request has no redirect URI, and was refused for its code")
        }
        return isUncertain
            ? .abstains("a token request was not saved, or its code is not that of this login") : .holds
    }

    /// Whether the provider says what is wrong with the client's assertion (login.gov wants no redirect URI beside one).
    private func isOfAssertion(_ request: TokenRequest, _ flow: Flow) -> Bool {
        ClientCall.all(in: flow).first { $0.exchange == request.exchange }
            .map { AssertionRefusal.of($0) != nil } ?? false
    }

    private func isUnwanted(by request: TokenRequest, _ flow: Flow) -> Bool {
        let url = flow.capture[request.exchange].request.url
        return url.host == "nid.naver.com" || url.path == "/sns/oauth2/access_token"
            || url.path.hasSuffix("/admin/oauth/access_token")
            || url.path.hasSuffix("/user_management/authenticate")
    }

    private func severity(_ request: TokenRequest, isMissing: Bool) -> Severity {
        // Entra calls it `invalid_client`.
        if request.isGrantRefused
            || request.answer.isRefusal && StatedGrantFault.isRedirectURICalledWrong(request)
        {
            return .error
        }
        // OAuth 2.1 has dropped the parameter from the token request.
        return isMissing ? .note : .warning
    }

    private func evidence(_ asked: Parameter, _ sent: Parameter?, _ request: TokenRequest) -> [Evidence] {
        let second =
            if let sent {
                Evidence(sent, note: Difference.note(expected: asked.value, seen: sent.value))
            } else {
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestBody, name: "redirect_uri"),
                    value: "missing",
                    note: "sent: \(request.parameters.items.map(\.name).prefix(12).joined(separator: ", "))"
                )
            }
        return [Evidence(asked), second, request.answer.evidence()]
    }
}
