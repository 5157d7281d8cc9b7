import Captures
import Flows
import OAuth

/// A secret travels from a place where everybody can read it: a native app, or a page in the browser.
///
/// Whoever has the app has the secret (RFC 8252, section 8.5). Secrets that a registration in the capture
/// issued belong to this one instance and are none of this kind. A server that a provider has down as a public client is told of with the
/// refusal (``StatedClientRefusal``).
struct PublicClientSendsSecret: Rule {
    static let info = RuleInfo(
        id: "public-client-sends-secret",
        title: "A native or browser app sends a client secret",
        severity: .warning,
        explanation: """
            The request with the client secret comes from an app on the user's device or from a page. The secret can be read out of it, so it \
            proves nothing, and a provider that knows the client as a public one refuses it.
            """,
        fix: """
            Register the app as a public client (authentication method none) and rely on PKCE; or register each installation for a secret of \
            its own; or let a server exchange the code.
            """,
        badExample: """
            POST /token  User-Agent: Shop/4.2 CFNetwork/1568 Darwin/24.1
            grant_type=authorization_code&code=…&client_id=shop-app&client_secret=…
            """,
        goodExample: """
            POST /token  User-Agent: Shop/4.2 CFNetwork/1568 Darwin/24.1
            grant_type=authorization_code&code=…&client_id=shop-app&code_verifier=…
            """,
        specifications: [.rfc(8252, "8.5"), .rfc(9700, "2.5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var found: Violation?
        for call in ClientCall.all(in: flow) {
            guard let sent = PublicSecret(of: call, in: flow), found == nil || sent.isRefused else {
                continue
            }
            found = violation(sent, call, flow)
            if sent.isRefused { break }
        }
        return found.map { .violated($0) } ?? .holds
    }

    private func violation(_ sent: PublicSecret, _ call: ClientCall, _ flow: Flow) -> Violation {
        // Desktop and TV clients of Google are given a secret that is none, and have to send it.
        let isGoogles = sent.sender.kind == .native && flow.provider == .google
        let secret = Evidence(
            place: sent.secret.place,
            value: Masking.masked(sent.secret.value),
            note: call.authentication.methods.first?.rawValue
        )
        return Violation(
            [secret, sent.sender.evidence] + (sent.isRefused ? [call.answer.evidence()] : []),
            severity: sent.isRefused ? .error : isGoogles ? .note : .warning,
            exchange: call.exchange
        )
    }
}
