import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The access token is addressed to another API than the one that refused it.
///
/// Decided where the API says so, or where the token's `aud` lacks what was asked for or what the API calls itself
/// (RFC 9068, section 4; RFC 8707).
struct AudienceMismatch: Rule {
    static let info = RuleInfo(
        id: "audience-mismatch",
        title: "The access token is for another API",
        severity: .error,
        explanation: """
            The API refused the access token, and the token's aud names somebody else. Each API has to refuse tokens that were not made for it.
            """,
        fix: """
            Ask for a token for this very API: its resource (RFC 8707), its audience, or one of its scopes, as the provider wants it. A token for \
            Microsoft Graph or UserInfo is good for those alone.
            """,
        badExample: """
            access token claims {"aud":"https://graph.microsoft.com", …}
            GET https://api.shop.example/orders → 401
            """,
        goodExample: """
            access token claims {"aud":"https://api.shop.example", …}
            GET https://api.shop.example/orders → 200
            """,
        specifications: [.rfc(9068, "4"), .rfc(8707, "2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for (call, refusal) in BearerCall.refused(in: flow) {
            guard call.isWithAccessToken, !call.isUserInfo, let token = call.claimsToken,
                !token.audience.isEmpty
            else {
                continue
            }
            let seen = Masking.shown(token.audience.prefix(5).joined(separator: ", "), of: "aud")
            let isNamed = refusal.reasons.contains(.audience)
            // Its signature is for the Graph alone to verify: a nonce in the header is hashed first.
            let host = flow.capture[call.call.exchange].askedURL?.host
            let isForGraph = Self.isOfGraph(token.audience, shownTo: host)
            let isOpen =
                refusal.envoy != .policy
                && refusal.reasons.subtracting(isForGraph ? [.shape, .signature] : [.shape]).isEmpty
            let expected = isNamed || isOpen ? expectation(of: call, token.audience, flow) : nil
            let isForeign =
                isOpen && !isNamed && (isForGraph || isOfAnother(token.audience, shownTo: host, call, flow))
            guard isNamed || expected != nil || isForeign,
                isNamed || !SpentTokens.contain(call, in: flow)
            else { continue }
            var evidence = [call.evidence(ofClaim: "aud", seen), call.address, refusal.evidence]
            if let expected { evidence.append(Evidence(expected, note: "not among the token's audiences")) }
            return .violated(
                Violation(
                    evidence,
                    saying: isForGraph ? Self.ofGraph : nil,
                    exchange: call.call.exchange
                )
            )
        }
        return (exchanged(in: flow) ?? shown(in: flow)).map { .violated($0) } ?? .holds
    }

    /// A token exchange that brings a token which is for somebody else (RFC 8693, section 2.1).
    private func exchanged(in flow: Flow) -> Violation? {
        let refused = flow.tokenRequests.last(where: \.isSubjectForOthers)
        guard let request = refused, let token = request.parameters.parameter("subject_token") else {
            return nil
        }
        // Whom one is for that cannot be read nobody can compare.
        guard let audience = JSONWebToken.parse(token.value)?.audience, !audience.isEmpty else { return nil }
        let claim = Evidence.claim("aud", audience.prefix(5).joined(separator: ", "), at: request.exchange)
        return Violation(
            [claim, Evidence(token), request.answer.evidence()],
            explanation: """
                The token that was to be exchanged names in its aud whom it is for. That is not who was to take it here, as the provider says.
                """,
            fix: RefusedGrant.exchangeForOthers.fix,
            title: "The token that was to be exchanged is for somebody else",
            exchange: request.exchange
        )
    }

    /// An API that goes on in its user's name with a token that is for somebody else (Entra's on-behalf-of flow).
    private func shown(in flow: Flow) -> Violation? {
        guard let request = flow.tokenRequests.last(where: \.isAssertionForOthers),
            !flow.tokenRequests.contains(where: {
                $0.answer.isSuccess && $0.grantType == request.grantType && $0.startedAt > request.startedAt
            }),
            let token = request.parameters.parameter("assertion")
        else { return nil }
        guard let audience = JSONWebToken.parse(token.value)?.audience, !audience.isEmpty,
            !audience.contains(bytesOf: request.clientID ?? "")
        else { return nil }
        let claim = Evidence.claim(
            "aud",
            audience.prefix(5).joined(separator: ", "),
            at: request.exchange,
            note: request.clientID.map { "the API that shows it is \(Masking.shown($0, of: "client_id"))" }
        )
        return Violation(
            [claim, Evidence(token), request.answer.evidence()],
            explanation: """
                The API showed the token that it was called with, to go on in its user's name. That token is for somebody else (aud), so the provider \
                does not let this API use it.
                """,
            fix: """
                Have the app that calls this API ask for a token of this API: one of its own scopes (api://…/…, under "Expose an API" of its registration), \
                not User.Read and the like, which give a token for Microsoft Graph. Take that access token for the assertion, no ID token.
                """,
            title: "The token that the API showed on behalf of its user is for another API",
            exchange: request.exchange
        )
    }

    private static let ofGraph = Violation.Words(
        explanation: """
            The API refused the access token, which is one for Microsoft Graph (its aud). Nobody but the Graph can verify those, so other APIs speak of the signature \
            or its keys; neither is at fault.
            """,
        fix: """
            Ask for a scope of your own API (api://…/…, under "Expose an API" of its registration) instead of User.Read and the like; a login that asks for no API at all \
            gets a token for the Graph. Call the Graph with a token of its own.
            """
    )

    /// Whether a token is for Microsoft Graph, and was shown to somebody else.
    private static func isOfGraph(_ audience: [String], shownTo host: String?) -> Bool {
        guard let host, !graphHosts.contains(host), !audience.isEmpty else {
            return false
        }
        return audience.allSatisfy { graphNames.contains($0.withoutSlash) }
    }

    private static let graphNames: Set<String> = [
        "00000003-0000-0000-c000-000000000000", "https://graph.microsoft.com",
    ]
    private static let graphHosts: Set<String> = [
        "graph.microsoft.com", "graph.microsoft.us", "dod-graph.microsoft.us",
        "microsoftgraph.chinacloudapi.cn", "graph.windows.net",
    ]

    /// What the token should be addressed to, as the messages say, and is not.
    private func expectation(of call: BearerCall, _ audience: [String], _ flow: Flow) -> Parameter? {
        let has = Set(audience.map { ByteText($0.withoutSlash) })
        if let resource = resource(of: call, flow) {
            return has.contains(ByteText(resource.value.withoutSlash)) ? nil : resource
        }
        // Entra takes an address and answers with the application's number.
        guard flow.provider != .entra else { return nil }
        let messages =
            flow.authorizationRequests.map(\.parameters.items)
            + [call.grant?.request?.parameters.items ?? []]
        let asked = messages.flatMap { $0 }.filter {
            ["resource", "audience"].contains($0.name) && !$0.value.isEmpty
        }
        guard let first = asked.first,
            !asked.contains(where: { has.contains(ByteText($0.value.withoutSlash)) })
        else {
            return nil
        }
        return first
    }

    /// What the API calls itself (RFC 9728, section 2).
    private func resource(of call: BearerCall, _ flow: Flow) -> Parameter? {
        flow.surroundings.metadata.lazy.compactMap { document -> Parameter? in
            guard document.isProtectedResource,
                let resource = document.answer.parameters.parameter("resource"),
                RecordedURL(resource.value).origin == call.call.endpoint.origin,
                call.call.endpoint.text.utf8.starts(with: resource.value.withoutSlash.utf8)
            else { return nil }
            return resource
        }.first
    }

    /// Whether every audience is an address somewhere else.
    private func isOfAnother(
        _ audience: [String],
        shownTo host: String?,
        _ call: BearerCall,
        _ flow: Flow
    ) -> Bool {
        // Names of APIs look like addresses without being any; on the developer's machine they never match.
        guard let host, !LoopbackHost.isLoopback(host), !call.isAtProvider(flow)
        else {
            return false
        }
        return audience.allSatisfy { name in
            let url = RecordedURL(name)
            return url.isWeb && url.host != host
        }
    }
}
