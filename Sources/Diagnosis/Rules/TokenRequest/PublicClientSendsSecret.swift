import Captures
import Flows
import OAuth

/// A secret travels from a place where everybody can read it: a native app, or a page in the browser.
///
/// Whoever has the app has the secret (RFC 8252, section 8.5). Secrets that a registration in the capture
/// issued belong to this one instance and are none of this kind.
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
            guard let secret = call.authentication.secret, !secret.value.isEmpty,
                let sender = PublicAgent(of: flow.capture[call.exchange].request, at: call.exchange),
                sender.kind == .page || isNativeLogin(call, flow)
            else { continue }
            guard flow.registrations(of: call.authentication.clientID?.value).isEmpty else { continue }
            let isRefused =
                call.answer.isRefusal && Self.texts.contains(where: call.answer.errorText.containsBytes)
            if found != nil, !isRefused { continue }
            // Desktop and TV clients of Google are given a secret that is none, and have to send it.
            let isGoogles = sender.kind == .native && flow.provider == .google
            var evidence = [
                Evidence(
                    place: secret.place,
                    value: Masking.masked(secret.value),
                    note: call.authentication.methods.first?.rawValue
                ), sender.evidence,
            ]
            if isRefused { evidence.append(call.answer.evidence()) }
            found = Violation(
                evidence,
                severity: isRefused ? .error : isGoogles ? .note : .warning,
                exchange: call.exchange
            )
            if isRefused { break }
        }
        return found.map { .violated($0) } ?? .holds
    }

    /// Whether the login comes back to an app: by a scheme of its own, or to this very machine.
    private func isNativeLogin(_ call: ClientCall, _ flow: Flow) -> Bool {
        let targets =
            flow.authorizationRequests.compactMap(\.redirectURI)
            + [call.parameters["redirect_uri"]].compactMap { $0 }
        return targets.contains { text in
            let url = RecordedURL(text)
            guard url.isWeb else { return url.scheme != nil }
            return LoopbackHost.isLoopback(url.host ?? "")
        }
    }

    private static let texts = [
        "aadsts700025", "aadsts90023", "client is public", "public client can", "public clients can",
        "public clients must not", "public client must not", "is a public client",
    ]
}
