import Captures
import Flows
import OAuth

/// The token endpoint answered with an error that none of the other symptoms stands for.
///
/// Only restates it. Answers that ask for patience, and were followed by success, are none; nor are those that ask for a nonce, and
/// got it.
struct TokenEndpointError: Rule {
    static let info = RuleInfo(
        id: "token-endpoint-error",
        title: "The token endpoint answered with an error",
        severity: .error,
        isSymptom: true,
        explanation:
            "The provider did not answer the token request with tokens. Status, error and text are those of its answer.",
        fix:
            "Read the error and its description; the provider's log has the rest, under the correlation or trace id if the answer carries one.",
        badExample: """
            POST /token  grant_type=authorization_code&code=…  → 400 {"error":"invalid_request","error_description":"…"}
            """,
        goodExample: """
            POST /token  grant_type=authorization_code&code=…  → 200 {"access_token":"…","token_type":"Bearer"}
            """,
        specifications: [.rfc(6749, "5.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow)
        // A refusal of the client is told as that; a try that the next one made up for is forgotten.
        let others = Set(calls.filter { $0.isRepaired || $0.isClientRefused }.map(\.exchange))
            .union(DPoPCall.heededChallenges(in: flow))
        let refused = flow.tokenRequests.filter {
            !others.contains($0.exchange) && !$0.isTargetCalledClient
                && (isError($0, flow) || isLedAway($0, flow))
        }
        guard let first = refused.first else { return .holds }
        if isLedAway(first, flow),
            let redirected = RedirectedCall.violation(of: first.answer, endpoint: "token endpoint", in: flow)
        {
            return .violated(redirected)
        }
        if let violation = flow.takenToAuthorizationEndpoint(first) ?? misplacedByQuery(refused, flow)
            ?? misplaced(refused, flow)
            ?? CodelessExchange.violation(refused, flow)
            ?? TokenOutOfPlace.violation(refused, flow)
        {
            return .violated(violation)
        }
        let limit = ClientLimit(first.answer)
        let told = told(of: refused, calls, flow)
        return .violated(
            Violation(
                refused.prefix(4).flatMap { flow.evidence(of: $0.answer, note: flow.checkedValues(of: $0)) }
                    + (told?.evidence ?? limit?.evidence(of: first) ?? []),
                saying: CertificateRefusal.said(in: refused.prefix(4).map(\.answer))?.words
                    ?? Self.ofPlatform(first.answer) ?? Self.ofRedirectURI(first) ?? Self.ofExchange(first)
                    ?? RefusedGrant.ofMissingCode(refused) ?? told?.words ?? limit?.words,
                exchange: first.exchange
            )
            .toldOfFront(in: flow)
        )
    }

    /// What the provider says is wrong with what was sent, where no rule can hold it against anything.
    private func told(of refused: [TokenRequest], _ calls: [ClientCall], _ flow: Flow) -> (
        words: Violation.Words, evidence: [Evidence]
    )? {
        let throttled = refused.first.map { Throttling.evidence(of: $0.answer, in: flow) } ?? []
        if !throttled.isEmpty { return (Throttling.words, throttled) }
        if let stated = StatedRefusal(refused, in: flow) { return (stated.words, stated.evidence) }
        if let target = refused.first.flatMap({ UnknownTarget(of: $0, in: flow) }) {
            return (target.words, [target.sent])
        }
        let asked = Set(refused.map(\.exchange))
        let those = calls.filter { asked.contains($0.exchange) }
        if let stated = StatedClientRefusal.first(of: those, in: flow) {
            return (stated.words, stated.evidence)
        }
        if refused.allSatisfy(\.isSubjectForOthers),
            let token = refused.first?.parameters.parameter("subject_token")
        {
            return (RefusedGrant.exchangeForOthers, [Evidence(token)])
        }
        if those.allSatisfy(\.isSaidToBeUnknown), let client = those.first?.authentication.clientID {
            return (ClientIDRefusal.unknown, [Evidence(client)])
        }
        return nil
    }

    /// Asked for without the query that is part of the endpoint's URL, and not answered as by a token endpoint.
    private func misplacedByQuery(_ refused: [TokenRequest], _ flow: Flow) -> Violation? {
        guard let first = refused.first, refused.allSatisfy({ $0.answer.error == nil }),
            FrontRefusal(of: first.exchange, in: flow) == nil
        else { return nil }
        return flow.misplacedByQuery(first)
    }

    /// Asked for at an address where nothing is, or nothing that takes a form.
    private func misplaced(_ refused: [TokenRequest], _ flow: Flow) -> Violation? {
        guard let first = refused.first,
            refused.allSatisfy({ request in
                request.answer.error == nil && request.answer.status.map([404, 405].contains) ?? false
            }),
            FrontRefusal(of: first.exchange, in: flow) == nil
        else { return nil }
        return flow.misplaced(
            first,
            explanation:
                "The server says that there is nothing at this address, or nothing that takes a form: it is not the token endpoint's."
        )
    }

    /// Whether it was answered with a redirect that did not lead to tokens.
    private func isLedAway(_ request: TokenRequest, _ flow: Flow) -> Bool {
        guard let status = request.answer.status, (300..<400).contains(status), request.answer.error == nil,
            flow.capture[request.exchange].response?.location != nil
        else { return false }
        return !flow.exchanges.contains {
            flow.surroundings.redirectedFrom[$0] == request.exchange && isFruitful($0, flow)
        }
    }

    private func isFruitful(_ index: Int, _ flow: Flow) -> Bool {
        Answer(of: flow.capture[index], at: index).parameters.contains("access_token")
    }

    private func isError(_ request: TokenRequest, _ flow: Flow) -> Bool {
        guard let status = request.answer.status, request.answer.isRefusal, !request.mayBePending else {
            return false
        }
        switch request.answer.error?.standardName {
        case "invalid_grant", "authorization_pending", "slow_down": return false
        // The user's own no, where a device asks for it.
        case "access_denied", "authorization_declined": return !request.isDecidedElsewhere
        // Auth0's and Okta's word for a second step, which another request answers.
        case "mfa_required":
            guard let token = request.answer.parameters["mfa_token"] else { return true }
            return !flow.surroundings.derived.value { SecondSteps(flow.surroundings) }.tokens.contains(token)
        case nil: return status >= 400
        default: return true
        }
    }

    /// Kakao's answer to an app that is none of those it was registered for.
    private static func ofPlatform(_ answer: Answer) -> Violation.Words? {
        guard answer.error?.error == "misconfigured", answer.errorText.containsBytes("bundle_id") else {
            return nil
        }
        return Violation.Words(
            title: "The provider does not know the app by what the device says of it",
            explanation: """
                The app that asked for tokens names its bundle id (iOS) or the hash of the key that it is signed with (Android), and neither is among those that the client \
                is registered for. Redirect URI, code and client have no part in that.
                """,
            fix: """
                Register the platform in the client's settings at the provider: the bundle id as it is built, and a key hash for each key that signs the app: the debug key of \
                every machine, the release key, and the key of the store where that signs anew.
                """
        )
    }

    /// What Google, ForgeRock and Cognito call it by a name of its own that the redirect URI of an exchange is another one.
    private static func ofRedirectURI(_ request: TokenRequest) -> Violation.Words? {
        guard request.isCodeExchange, request.isRefused(with: "redirect_uri_mismatch") else { return nil }
        return Violation.Words(
            title: "The provider takes the token request's redirect URI for another one",
            explanation: """
                The provider compared the redirect_uri of the token request with the one that the code was issued for, and with those registered for the client that asks, and found none that is \
                the same string.
                """,
            fix: """
                Send the very redirect_uri of the authorization request, by the same client_id: a server that exchanges an app's code under its own client needs a redirect URI that this client has, \
                too. A code that a page or library got without a redirect has its own (Google: postmessage, or an empty one).
                """
        )
    }

    /// Keycloak's answer to a token exchange that this client, or the server, has switched off, which it calls an invalid request.
    private static func ofExchange(_ request: TokenRequest) -> Violation.Words? {
        guard request.isTokenExchange, request.isRefused(with: "invalid_request"),
            ["token exchange is not enabled", "token exchange is disabled"].contains(
                where: request.answer.errorText.containsBytes
            )
        else { return nil }
        return Violation.Words(
            title: "The provider has token exchange switched off for this client",
            explanation: """
                The provider knows the grant, and says that the client may not use it, or that nobody may at this server. The token that was to be exchanged was not looked at.
                """,
            fix: """
                Switch it on for the client that asks (Keycloak: Capability config, Standard token exchange; older servers need the feature token-exchange and a permission at the client that the token is for).
                """
        )
    }

    /// The tokens by which second steps were taken, in the whole capture.
    private struct SecondSteps: Sendable {
        let tokens: Set<String>

        init(_ index: CaptureIndex) {
            tokens = Set(index.tokenRequests.compactMap { $0.parameters["mfa_token"] })
        }
    }
}
