import Captures
import Flows
import JOSE
import OAuth

/// The API wants a scope that the access token does not have (RFC 6750, section 3.1).
struct InsufficientScope: Rule {
    static let info = RuleInfo(
        id: "insufficient-scope",
        title: "The token lacks a scope the API needs",
        severity: .error,
        explanation:
            "The access token is good, but not for this call: the API answered that it wants a scope that the token was not granted.",
        fix: """
            Ask for the scope that the challenge names, in a new authorization request; a refresh cannot add one. Keycloak's UserInfo needs the \
            scope openid.
            """,
        badExample: """
            GET /orders → 403, WWW-Authenticate: Bearer error="insufficient_scope", scope="orders.read"
            """,
        goodExample: """
            GET /authorize?…&scope=openid+orders.read
            GET /orders → 200
            """,
        specifications: [.rfc(6750, "3.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let refused = BearerCall.refused(in: flow, with: [401, 403]).filter { call, refusal in
            (call.grant != nil || call.isUserInfo)
                && (isForScope(call, refusal) || isWithoutOpenID(call, flow))
        }
        guard !refused.isEmpty else { return .holds }
        let successes = successes(flow)
        for (call, refusal) in refused {
            // Went well later, with a token that was asked for anew.
            let position = flow.surroundings.position[call.call.exchange]
            if let later = successes[call.call.endpoint.text], later > position { continue }
            var evidence = [refusal.evidence, call.address]
            if let wanted = refusal.challenges.lazy.compactMap({ $0["scope"] }).first {
                evidence.append(
                    Evidence(
                        place: Place(
                            exchange: refusal.exchange,
                            part: .responseHeader,
                            name: "WWW-Authenticate"
                        ),
                        value: Masking.shown(wanted, of: "scope"),
                        note: "the scope that is needed"
                    )
                )
            }
            if let granted = grantedScope(call, flow) {
                evidence.append(Evidence(granted, note: "granted or asked for"))
            }
            let isTold = isForScope(call, refusal)
            return .violated(
                Violation(
                    evidence,
                    explanation: isTold ? nil : Self.withoutOpenID,
                    fix: isTold ? nil : Self.withoutOpenIDFix,
                    exchange: call.call.exchange
                )
            )
        }
        return .holds
    }

    private func isForScope(_ call: BearerCall, _ refusal: BearerRefusal) -> Bool {
        if refusal.error(call.call.answer)?.lowercased() == "insufficient_scope" { return true }
        if call.call.answer.error?.error.lowercased() == "insufficient_scope" { return true }
        let text = refusal.body.lowercased() + " " + (refusal.header?.prefixBytes(2048).lowercased() ?? "")
        // Keycloak, Cognito.
        return call.isUserInfo
            && (refusal.status == 403 && text.containsBytes("missing openid scope")
                || text.containsBytes("does not contain openid scope"))
    }

    private static let withoutOpenID = """
        UserInfo serves the tokens of OpenID Connect logins alone (OpenID Connect Core, section 5.3), and this one was granted without the scope \
        openid. The provider words it as it does for any token.
        """
    private static let withoutOpenIDFix =
        "Ask for the scope openid in the authorization request; a refresh cannot add it."

    /// Whether UserInfo refuses the token of a login that means to be one of OpenID Connect, and was granted without its scope.
    private func isWithoutOpenID(_ call: BearerCall, _ flow: Flow) -> Bool {
        guard call.isUserInfo, let granted = grantedScope(call, flow), !Placeholder.isOne(granted.value),
            !granted.value.split(separator: " ").contains("openid"),
            let request = flow.authorizationRequests.last, OpenIDIntent.sign(of: request, in: flow) != nil
        else { return false }
        return !flow.messages.contains { message in
            guard case .userInfo(let other) = message else { return false }
            return other.answer.isSuccess && other.token?.value == call.call.token?.value
        }
    }

    /// Where each address was called with success for the last time, by anybody in this capture.
    private func successes(_ flow: Flow) -> [String: Int] {
        let surroundings = flow.surroundings
        var latest: [String: Int] = [:]
        for (exchange, message) in surroundings.messages {
            switch message {
            case .userInfo(let call), .resource(let call):
                guard call.answer.isSuccess else { continue }
                latest[call.endpoint.text] = max(
                    latest[call.endpoint.text] ?? 0,
                    surroundings.position[exchange]
                )
            default: continue
            }
        }
        return latest
    }

    private func grantedScope(_ call: BearerCall, _ flow: Flow) -> Parameter? {
        call.grant?.parameters.parameter("scope")
            ?? flow.authorizationRequests.last?.parameters.parameter("scope")
    }
}
