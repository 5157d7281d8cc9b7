import Captures
import Flows
import OAuth

/// A request of the protocol was sent in clear, where everybody on the way can read codes, tokens and passwords.
///
/// Keys and metadata count where the issuer is https and they come from outside of the own network, and no metadata name the address:
/// whoever can change those can sign what they like. The machine itself is exempt, and so is what a proxy took by https, and a first step that a server or
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
        where document.keys != nil && isSecure(flow.issuer) && !isNearby(document.url)
            && !isNamed(document.url, flow):
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

    /// Whether the provider's metadata name the address, which is told with them.
    private func isNamed(_ url: RecordedURL, _ flow: Flow) -> Bool {
        flow.serverMetadata.contains { $0.names(url, as: "jwks_uri") }
    }

    /// The inner address of a provider, as `http://keycloak:8080`, which a back end fetches its keys from.
    private func isNearby(_ url: RecordedURL) -> Bool { url.host.map(NearbyHost.isNearby) ?? false }

    /// Sent on to https at once, with nothing in it that lets somebody in; a redirect to the app is the answer, and no such thing.
    private func isUpgraded(_ exchange: Exchange) -> Bool {
        guard let response = exchange.response, response.isRedirection,
            let location = response.location
        else { return false }
        let request = exchange.request
        let target = request.url.resolving(location)
        let sent = target.queryAndFragmentItems
        guard target.scheme?.lowercased() == "https",
            target.host == request.url.host || target.path == request.url.path,
            // An app may be at the provider's own host.
            !AuthorizationResponse.isResponse(sent, mode: .fragment),
            !request.headers.contains("authorization")
        else { return false }
        let items = request.queryAndFormItems.items
        return !items.contains { Masking.isSecret($0.name) }
    }
}
