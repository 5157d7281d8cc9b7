import Captures
import Flows
import OAuth

/// A request of the protocol was sent in clear, where everybody on the way can read codes, tokens and passwords.
///
/// Keys and metadata count where the issuer is https and they come from outside of the own network: whoever can change those can
/// sign what they like. The machine itself is exempt, and so is what a proxy took by https, and a first step that a server or
/// browser sends on to https before anything secret was in it.
struct InsecureEndpoint: Rule {
    static let info = RuleInfo(
        id: "insecure-endpoint",
        title: "A protocol request went over plain http",
        severity: .warning,
        explanation:
            "The request went to the provider without TLS. Whoever can see the network can read it, and change what comes back.",
        fix:
            "Use the https address of the endpoint. If the provider's metadata names the http one, set its public address there.",
        badExample: """
            POST http://id.example/token   grant_type=authorization_code&code=…
            """,
        goodExample: """
            POST https://id.example/token   grant_type=authorization_code&code=…
            """,
        specifications: [.rfc(6749, "3.1"), .rfc(6749, "3.2"), .rfc(8414, "3"), .rfc(9700, "2.6")]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let refusal = refusal(in: flow) { return .violated(refusal) }
        var seen: Set<String> = []
        var evidence: [Evidence] = []
        let messages = flow.messages.compactMap { message in
            kind(of: message, flow).map { (exchange: message.exchange, kind: $0) }
        }
        let hosts = flow.providerHosts
        let forms = flow.exchanges.filter {
            flow.capture[$0].request.url.host.map(hosts.contains) ?? false && flow.isCredentialPost($0)
                && flow.secretField(of: $0) != nil
        }
        for (index, kind) in messages + forms.map({ (exchange: $0, kind: "sign-in form with a secret") }) {
            let exchange = flow.capture[index]
            let url = exchange.request.url
            guard exchange.request.urlOfBrowser.scheme?.lowercased() == "http", let host = url.host,
                !exchange.mayBeOfHTTPS, !LoopbackHost.isLoopback(host), !exchange.isInternalRedirect,
                !isUpgraded(exchange),
                seen.insert(url.withoutQuery).inserted,
                evidence.count < 6
            else { continue }
            evidence.append(
                Evidence(
                    place: Place(exchange: index, part: .requestURL, name: ""),
                    value: Masking.shown(url.withoutQuery, of: "url"),
                    note: kind
                )
            )
        }
        return evidence.isEmpty ? .holds : .violated(Violation(evidence))
    }

    // MARK: - Refused for it

    /// What Keycloak and OpenIddict say to a request over http.
    ///
    /// Keycloak takes such from the machine itself and from private networks alone, or from the machine alone, as its realm is set;
    /// OpenIddict takes none. Behind a proxy that ends TLS both have to be told what the client asked over.
    private func refusal(in flow: Flow) -> Violation? {
        guard flow.ending != .success else { return nil }
        let asked = flow.loginAttempts.lazy.compactMap(\.refusal).first { $0.says(Self.words) }
        let said = flow.messages.lazy.compactMap { message -> Answer? in
            switch message {
            case .discovery(let document): document.answer
            case .token(let request): request.answer
            case .userInfo(let call), .deviceAuthorization(let call), .pushedRequest(let call): call.answer
            default: nil
            }
        }.first { $0.isRefusal && Self.words.contains(where: $0.errorText.containsBytes) }
        guard let exchange = said?.exchange ?? asked?.exchange,
            let scheme = flow.capture[exchange].request.urlOfBrowser.scheme?.lowercased(),
            let words = said.map({ $0.evidence() }) ?? asked?.evidence(around: Self.words)
        else { return nil }
        let isInClear = scheme == "http"
        return Violation(
            [
                flow.urlEvidence(of: exchange, note: "asked over \(scheme)"), words,
            ],
            severity: .error,
            explanation: isInClear ? Self.inClear : Self.untold,
            fix: isInClear ? Self.inClearFix : Self.untoldFix,
            title: isInClear
                ? "The provider refuses requests over plain http"
                : "The provider behind the proxy believes that it is asked over plain http",
            exchange: exchange,
            explains: ["discovery-unreachable"]
        )
    }

    private static let inClear = """
        The provider refused a request for nothing else than that it came over plain http: it takes those from its own machine, \
        or its own network, alone. Nothing is wrong with the address but its scheme.
        """
    private static let inClearFix = """
        Give clients the provider's https address, and a certificate that the device trusts. For development alone the realm may \
        be set to take http from everywhere (Keycloak: Realm settings, Require SSL: None); behind a proxy that ends TLS let \
        Keycloak read the proxy's headers (proxy-headers, or its older name for that).
        """
    private static let untold = """
        The client asked over https, and the provider refuses the request for having come over plain http. Something in front of it ends TLS and passes \
        requests on without it, and the provider was not told, or does not believe it.
        """
    private static let untoldFix = """
        Have the proxy send X-Forwarded-Proto: https, and the provider trust it: ASP.NET (OpenIddict) by UseForwardedHeaders ahead of all else, with the proxy \
        among KnownProxies or KnownNetworks; Keycloak by proxy-headers. Do not switch the demand for https off.
        """

    /// Keycloak's and OpenIddict's, in lower case.
    private static let words = ["https required", "only accepts https requests"]

    // MARK: - Sent in clear

    private func kind(of message: OAuthMessage, _ flow: Flow) -> String? {
        switch message {
        case .authorizationRequest: "authorization request"
        case .token: "token request"
        case .userInfo: "userinfo request"
        case .pushedRequest: "pushed authorization request"
        case .endSession: "logout request"
        case .revocation: "revocation request"
        case .introspection: "introspection request"
        case .deviceAuthorization: "device authorization request"
        case .backchannelAuthentication: "backchannel authentication request"
        case .keySet(let document)
        where document.keys != nil && isSecure(flow.issuer) && !isNearby(document.url):
            "the keys that signatures are checked with"
        case .discovery(let document)
        where document.isUsable && !document.isProtectedResource && isSecure(document.issuer)
            && !isNearby(document.url):
            "metadata"
        default: nil
        }
    }

    /// A provider that is http by its very name has no https address to be asked at.
    private func isSecure(_ issuer: String?) -> Bool {
        issuer.map { RecordedURL($0).scheme?.lowercased() == "https" } ?? false
    }

    /// The inner address of a provider, as `http://keycloak:8080`, which a back end fetches its keys from.
    private func isNearby(_ url: RecordedURL) -> Bool { url.host.map(NearbyHost.isNearby) ?? false }

    /// Sent on to https at once, with nothing in it that lets somebody in.
    private func isUpgraded(_ exchange: Exchange) -> Bool {
        guard let response = exchange.response, response.isRedirection,
            let location = response.location
        else { return false }
        let request = exchange.request
        guard request.url.resolving(location).scheme?.lowercased() == "https",
            !request.headers.contains("authorization")
        else { return false }
        let items = request.url.queryItems.items + (FormBody.items(of: request.body)?.items ?? [])
        return !items.contains { Masking.isSecret($0.name) }
    }
}
