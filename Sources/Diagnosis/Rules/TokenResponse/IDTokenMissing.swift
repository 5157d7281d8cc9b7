import Captures
import Flows
import OAuth

/// A code was exchanged for tokens, and there is no ID token among them.
///
/// An OpenID provider gives one when the login asked for the scope `openid` (OpenID Connect Core, section
/// 3.1.3.3), and only then. Logins that never meant to be OpenID ones are left alone.
struct IDTokenMissing: Rule {
    static let info = RuleInfo(
        id: "id-token-missing",
        title: "No ID token was issued",
        severity: .errorWhenRefused,
        explanation: """
            The token endpoint answered the code with tokens, but without an ID token. A client that signs users in has nothing to tell it who \
            the user is, and stops here.
            """,
        fix: """
            Ask for the scope openid in the authorization request. If it is asked for, assign it to the client at the provider, and look whether \
            consent or a policy took it away.
            """,
        badExample: """
            GET /authorize?…&scope=profile&nonce=n-0S6_WzA2Mj
            POST /token → {"access_token":"…","token_type":"Bearer","scope":"profile"}
            """,
        goodExample: """
            GET /authorize?…&scope=openid+profile&nonce=n-0S6_WzA2Mj
            POST /token → {"access_token":"…","token_type":"Bearer","id_token":"eyJ…"}
            """,
        specifications: [
            .openIDConnectCore("3.1.3.3", "TokenResponse")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        // Plain OAuth, whatever scope is asked for: clients of MCP ask for all that the server names.
        guard flow.provider != .github, flow.provider != .myinfo, !flow.isOfMCP else { return .holds }
        let logins = flow.askedLogins
        // What GoTrue gives for a code of its own is no answer to the login at the provider behind it.
        let exchanges = flow.tokenRequests.filter {
            $0.isCodeExchange && $0.answer.isSuccess && !GoTrueRequest.isExchange($0)
        }
        return Verdict.firstViolation(among: exchanges) { request in
            guard request.answer.isBodyWhole, request.answer.json != nil else {
                return .abstains(Gap.tokenResponse)
            }
            guard request.accessToken != nil, (request.answer.parameters["id_token"] ?? "").isEmpty else {
                return .holds
            }
            guard
                let login = logins.first(where: {
                    $0.tokenRequests.contains { $0.exchange == request.exchange }
                })
            else {
                return .abstains(Gap.authorizationRequest)
            }
            guard !isDeliveredInFront(login) else { return .holds }
            guard let intent = OpenIDIntent.sign(of: login.request, in: flow) else { return .holds }
            return .violated(violation(login, request, intent, flow))
        }
    }

    /// Hybrid flows bring it with the code (OpenID Connect Core, section 3.3.2.5).
    private func isDeliveredInFront(_ login: Login) -> Bool {
        login.response?.parameters.contains("id_token") ?? false
            || (login.request.responseType ?? "").spaceDelimited.contains("id_token")
    }

    private func violation(_ login: Login, _ request: TokenRequest, _ intent: Parameter, _ flow: Flow)
        -> Violation
    {
        var evidence = [Evidence(intent, note: "the login means to be an OpenID one")]
        if intent.name != "scope" {
            evidence.append(
                login.request.parameters.parameter("scope").map { Evidence($0, note: "openid is not in it") }
                    ?? Evidence(
                        place: Place(exchange: login.request.exchange, part: .requestQuery, name: "scope"),
                        value: "none"
                    )
            )
        }
        evidence += request.answer.parameters.parameter("scope").map { [Evidence($0, note: "granted")] } ?? []
        evidence.append(
            Evidence(
                place: request.answer.place("id_token"),
                value: Masking.shown(
                    request.answer.parameters.items.prefix(20).map(\.name).joined(separator: ", "),
                    of: "members"
                ),
                note: "all members of the answer"
            )
        )
        let wentOn = flow.wentOn(after: request, callback: login.response?.callback)
        return Violation(evidence, severity: wentOn ? .warning : nil, exchange: request.exchange)
    }
}
