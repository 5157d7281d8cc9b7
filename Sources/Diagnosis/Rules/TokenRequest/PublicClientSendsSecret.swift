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
        let backEnds = backEnds(flow)
        let isNative = flow.authorizationRequests.contains { $0.redirectURI.map(Self.isOfApp) ?? false }
        for call in ClientCall.all(in: flow) {
            guard let secret = call.authentication.secret, !secret.value.isEmpty else { continue }
            let isRefused = Self.isRefusedAsPublic(call)
            guard let sender = PublicAgent(of: flow.capture[call.exchange].request, at: call.exchange),
                sender.kind == .page || isNative
                    || call.parameters["redirect_uri"].map(Self.isOfApp) ?? false,
                !backEnds.contains(flow.capture[call.exchange].request.userAgent ?? "")
            else { continue }
            guard flow.registrations(of: call.authentication.clientID?.value).isEmpty else { continue }
            // Whom the provider made a client for, and gave a secret, its answer would say.
            guard isRefused || !flow.surroundings.registrations.contains(where: Self.isUnread) else {
                continue
            }
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

    private static func isUnread(_ registration: EndpointCall) -> Bool {
        registration.answer.isSuccess && registration.answer.json == nil
    }

    /// What servers call themselves that redeemed a code while another, the app, waited for an answer to handing it over:
    /// theirs may be a library that apps use too.
    private func backEnds(_ flow: Flow) -> Set<String> {
        var agents: Set<String> = []
        for login in flow.logins {
            let relays = AppHandover.relays(of: login, in: flow).map { flow.capture[$0] }
            for request in login.tokenRequests {
                let redeemed = flow.capture[request.exchange]
                guard let agent = redeemed.request.userAgent,
                    relays.contains(where: { relay in
                        relay.request.userAgent != agent
                            && relay.startedAt <= redeemed.startedAt && redeemed.startedAt <= relay.endedAt
                    })
                else { continue }
                agents.insert(agent)
            }
        }
        return agents
    }

    /// Whether a redirect URI leads back to an app: by a scheme of its own, or to this very machine.
    private static func isOfApp(_ redirectURI: String) -> Bool {
        let url = RecordedURL(redirectURI)
        guard url.isWeb else { return url.scheme != nil }
        return url.isOnLoopback
    }

    /// Whether the provider says that it has the client down as one without a secret.
    static func isRefusedAsPublic(_ call: ClientCall) -> Bool {
        call.answer.isRefusal && texts.contains(where: call.answer.errorText.containsBytes)
    }

    private static let texts = [
        "aadsts700025", "aadsts90023:", "client is public", "public client can", "public clients can",
        "public clients must not", "public client must not", "is a public client",
    ]
}
