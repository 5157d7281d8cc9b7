import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The login sent a `nonce`, and the ID token has none.
///
/// Where one was sent it has to come back (OpenID Connect Core, section 3.1.3.7 (11)). A refresh need not repeat it.
struct IDTokenNonceMissing: Rule {
    static let info = RuleInfo(
        id: "id-token-nonce-missing",
        title: "The ID token does not carry the nonce",
        severity: .error,
        explanation:
            "The login sent a nonce, and the ID token that came of it has no such claim. A client that sent one has to refuse the token.",
        fix: """
            See that the nonce stands in the authorization request itself, and not in a request object or a session that the provider does not read. \
            If it does, the provider drops it: look at its token template.
            """,
        badExample: """
            GET /authorize?…&nonce=n-0S6_WzA2Mj
            id_token claims {"iss":"…","sub":"alice", …}
            """,
        goodExample: """
            GET /authorize?…&nonce=n-0S6_WzA2Mj
            id_token claims {"iss":"…","sub":"alice","nonce":"n-0S6_WzA2Mj", …}
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (11)", "IDTokenValidation")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let violation = handed(in: flow) { return .violated(violation) }
        return Verdict.ofIDTokens(in: flow) { delivered, claims, login in
            guard let sent = login.request.parameters.parameter("nonce"), !sent.value.isEmpty,
                Self.lacksNonce(claims)
            else { return nil }
            let lost = lost(of: login, in: flow)
            let scope = lost == nil ? MissingOpenID.scope(of: login) : nil
            let reason = lost ?? scope.map { Evidence($0, note: "without openid") }
            return Violation(
                [Evidence(sent)] + (reason.map { [$0] } ?? []) + [delivered.missing("nonce")],
                saying: scope != nil ? MissingOpenID.ofIDToken : lost.map { _ in Self.lostWords },
                exchange: delivered.idToken.place.exchange
            )
        }
    }

    /// By a token that was handed over without redirects, and lacks the nonce that the page asked with.
    private func handed(in flow: Flow) -> Violation? {
        flow.deliveredIDTokens.lazy.compactMap { delivered in
            guard let handed = delivered.handed, let sent = handed.nonce,
                let claims = delivered.idToken.token.claims, Self.lacksNonce(claims)
            else { return nil }
            // What the page passes on to the provider, newer browsers send among its own parameters only.
            let isAmongParameters = handed.assertion?.parameters["nonce"] == nil
            return Violation(
                [Evidence(sent), delivered.missing("nonce")],
                fix: isAmongParameters ? Self.paramsFix : nil,
                exchange: delivered.idToken.place.exchange
            )
        }.first
    }

    private static func lacksNonce(_ claims: JSONObject) -> Bool {
        claims["nonce"].map { $0 == .null } ?? true
    }

    private static let paramsFix = """
        Have the provider read the nonce out of params, too, a JSON object in the form that the browser posts: browsers no longer send it as a field of its own \
        (FedCM, "Identity assertion endpoint").
        """

    private static let lostWords = Violation.Words(
        fix: """
            Add the nonce to the form of the provider's page: one that was changed, or is older than the provider's OpenID Connect (Doorkeeper wants it \
            in the view of its consent page), leaves it out.
            """
    )

    /// The form by which a page of the provider's carries the request on and leaves the nonce out.
    private func lost(of login: Login, in flow: Flow) -> Evidence? {
        guard let state = login.request.state, !state.isEmpty else { return nil }
        for page in ProviderPages.of(login.request, in: flow).dropFirst() {
            let exchange = flow.capture[page].request
            guard let form = FormBody.items(of: exchange.body), form.first("state") == state,
                form.contains("redirect_uri"), !form.contains("nonce"),
                !exchange.url.queryItems.contains("nonce")
            else { continue }
            return Evidence(
                place: Place(exchange: page, part: .requestBody, name: "nonce"),
                value: "missing",
                note: "the provider's own page carries the request on without it"
            )
        }
        return nil
    }
}
