import Captures
import Flows
import JOSE
import OAuth

/// The ID token is sent to an API in place of the access token.
///
/// It is addressed to the client and says who signed in; an API wants a token that is addressed to it (OpenID
/// Connect Core, section 2; RFC 9700, section 2.3). An app may show it to its own back end.
struct AccessTokenWrongKind: Rule {
    static let info = RuleInfo(
        id: "access-token-wrong-kind",
        title: "The ID token is used in place of the access token",
        severity: .error,
        explanation: """
            The bearer token of the refused call is the ID token of this login. It tells the client who the user is; it is not addressed to the API, \
            which has to refuse it.
            """,
        fix:
            "Send the access_token of the token response in the Authorization header, and keep the id_token for yourself.",
        badExample: """
            POST /token → {"access_token":"2YotnFZF…","id_token":"eyJhbGci…"}
            GET /orders, Authorization: Bearer eyJhbGci… → 401
            """,
        goodExample: """
            POST /token → {"access_token":"2YotnFZF…","id_token":"eyJhbGci…"}
            GET /orders, Authorization: Bearer 2YotnFZF… → 200
            """,
        specifications: [
            .rfc(9700, "2.3"),
            .openIDConnectCore("2", "IDToken"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let tokens = TokenGrant.all(in: flow).compactMap { grant in
            grant.parameters.parameter("id_token").flatMap { $0.value == grant.accessToken ? nil : $0 }
        }
        guard !tokens.isEmpty else { return .holds }
        let delivered = Dictionary(tokens.map { ($0.value, $0) }) { first, _ in first }
        let refused = BearerCall.refused(in: flow, with: [401, 403])
        return Verdict.firstViolation(among: refused) { call, refusal in
            guard let token = delivered[call.token.value] else { return .holds }
            switch owner(of: call, refusal, flow) {
            case .app: return .holds
            case .unknown:
                return .abstains("the refused call may go to the app's own back end")
            case .other: break
            }
            let isGraph = GraphAPI.isOne(call.call.endpoint)
            return .violated(
                Violation(
                    [
                        Evidence(call.token, note: "the ID token"), Evidence(token, note: "delivered here"),
                        call.address, refusal.evidence,
                    ],
                    severity: isOfRights(refusal, flow) ? .note : nil,
                    explanation: isGraph ? GraphAPI.explanation : nil,
                    fix: isGraph ? GraphAPI.fix : nil,
                    exchange: call.call.exchange
                )
            )
        }
    }

    private enum Owner {
        case app
        case other
        case unknown
    }

    /// Whose the called URL is: a mobile app's back end may well want to see the ID token.
    private func owner(of call: BearerCall, _ refusal: BearerRefusal, _ flow: Flow) -> Owner {
        if KubernetesAPI.isOne(call.call.answer) { return .app }
        if GraphAPI.isOne(call.call.endpoint) { return .other }
        guard let host = call.call.endpoint.host, !call.isAtProvider(flow) || isBeside(call, flow) else {
            return .other
        }
        let targets = flow.authorizationRequests.compactMap { $0.redirectURI.map { RecordedURL($0) } }
        if targets.contains(where: { $0.isWeb && $0.host == host }) { return .app }
        let isKnown = flow.surroundings.metadata.contains { $0.isProtectedResource && $0.url.host == host }
        if isKnown { return .other }
        guard isNative(call, targets, flow) else { return .other }
        // What was good there before is what is wanted.
        let place = flow.surroundings.position[call.call.exchange]
        let taken = BearerCall.all(in: flow).filter {
            $0.call.endpoint.host == host && $0.call.answer.isSuccess
                && flow.surroundings.position[$0.call.exchange] < place
        }
        if taken.contains(where: { $0.token.value == call.token.value }) { return .app }
        if taken.contains(where: { $0.grant != nil }) { return .other }
        // Who challenges for a bearer token is a resource server (RFC 6750, section 3), unless the code was brought there, too.
        if refusal.isBearerChallenge {
            let relays = flow.logins.flatMap { AppHandover.relays(of: $0, in: flow) }
            if !relays.contains(where: { flow.capture[$0].request.url.host == host }) { return .other }
        }
        let sites = targets.compactMap(site)
        if sites.contains(Site.of(host)) { return .app }
        return refusal.isBearerChallenge ? .other : .unknown
    }

    /// Whether a 403 is said to somebody whose token was read.
    ///
    /// Amazon's API Gateway says it for a user that its policy keeps out, and of a path that it does not have; Google's services have another
    /// word for a token that they do not take; Istio's policy says nothing of the token. A page is what a firewall in front shows, or Cloud Run
    /// to a user without the right to call it.
    private func isOfRights(_ refusal: BearerRefusal, _ flow: Flow) -> Bool {
        guard refusal.status == 403 else { return false }
        if refusal.envoy == .policy { return true }
        if flow.capture[refusal.exchange].response?.body?.isPage ?? false { return true }
        let text = refusal.body.asciiLowercased()
        return [
            "user is not authorized to access this resource", "missing authentication token",
            "\"permission_denied\"",
        ].contains(where: text.containsBytes)
    }

    /// Whether it goes to another program of the provider's host.
    ///
    /// A provider that stands below a path there, as its issuer says, may be the app's own (Dex within Argo CD). The well-known
    /// ones have their APIs beside their issuers.
    private func isBeside(_ call: BearerCall, _ flow: Flow) -> Bool {
        guard flow.provider == .generic, !call.isUserInfo,
            let issuer = call.claimsToken?.issuer.map({ RecordedURL($0) }),
            issuer.origin == call.call.endpoint.origin, issuer.path.utf8.count > 1
        else { return false }
        let base = issuer.path.utf8.last == 0x2f ? issuer.path : issuer.path + "/"
        return !call.call.endpoint.path.utf8.starts(with: base.utf8)
    }

    /// An app that is no web page: it is called back by something else than a server of its own.
    private func isNative(_ call: BearerCall, _ targets: [RecordedURL], _ flow: Flow) -> Bool {
        if targets.isEmpty || targets.contains(where: { !$0.isWeb || $0.isOnLoopback }) {
            let agent = flow.capture[call.call.exchange].request.userAgent ?? ""
            // A page under development is called back by the machine itself, too.
            return !(targets.allSatisfy(\.isWeb) && agent.utf8.starts(with: "Mozilla/".utf8))
        }
        let isAnswered = flow.authorizationResponses.contains { response in
            response.callback.map { flow.capture[$0].response != nil } ?? false
        }
        return !isAnswered && !flow.capture[call.call.exchange].request.headers.contains("origin")
    }

    /// Private-use schemes are reversed domain names of the app's maker (RFC 8252, section 7.1).
    private func site(_ target: RecordedURL) -> String? {
        if target.isWeb { return target.host.map(Site.of) }
        guard let scheme = target.scheme, scheme.utf8.contains(0x2e) else { return nil }
        return Site.of(scheme.lowercased().split(separator: ".").reversed().joined(separator: "."))
    }
}
