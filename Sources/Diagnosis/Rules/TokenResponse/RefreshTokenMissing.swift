import Captures
import Flows
import OAuth

/// The login asked for access while the user is away, and no refresh token came.
///
/// OpenID Connect Core, section 11, gives one for `offline_access` with consent only; Google on the first consent
/// only.
struct RefreshTokenMissing: Rule {
    static let info = RuleInfo(
        id: "refresh-token-missing",
        title: "Offline access was asked, but no refresh token came",
        severity: .warning,
        explanation: """
            The login asked for offline access, and the answer to the code holds no refresh token. The user will have to sign in again as soon as \
            the access token has run out.
            """,
        fix: """
            Send prompt=consent together with the request for offline access, and see that the client may have refresh tokens at the provider. Google \
            gives one with the first consent alone: revoke the app's access, or send prompt=consent.
            """,
        badExample: """
            GET /authorize?…&scope=openid+offline_access
            POST /token → {"access_token":"…","id_token":"…"}
            """,
        goodExample: """
            GET /authorize?…&scope=openid+offline_access&prompt=consent
            POST /token → {"access_token":"…","id_token":"…","refresh_token":"…"}
            """,
        specifications: [
            SpecificationReference(
                text: "OpenID Connect Core §11",
                url: OpenIDConnect.core + "#OfflineAccess"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        let logins = flow.askedLogins
        for request in flow.tokenRequests where request.isCodeExchange && request.answer.isSuccess {
            guard request.answer.isBodyWhole, request.accessToken != nil else {
                reason = Gap.tokenResponse
                continue
            }
            guard (request.issuedRefreshToken ?? "").isEmpty else { continue }
            guard
                let login = logins.first(where: {
                    $0.tokenRequests.contains { $0.exchange == request.exchange }
                })
            else {
                reason = Gap.authorizationRequest
                continue
            }
            guard let asked = wish(of: login.request, flow) else { continue }
            let names = request.answer.parameters.items.prefix(20).map(\.name).joined(separator: ", ")
            var evidence = [Evidence(asked)]
            if let prompt = login.request.parameters.parameter("prompt") { evidence.append(Evidence(prompt)) }
            evidence.append(
                Evidence(
                    place: request.answer.place("refresh_token"),
                    value: "missing",
                    note: "the answer has \(Masking.shown(names, of: "members"))"
                )
            )
            return .violated(Violation(evidence, exchange: request.exchange))
        }
        return reason.map { .abstains($0) } ?? .holds
    }

    private func wish(of request: AuthorizationRequest, _ flow: Flow) -> Parameter? {
        if let scope = request.parameters.parameter("scope"),
            scope.value.split(separator: " ").contains("offline_access")
        {
            return scope
        }
        guard flow.provider == .google, let type = request.parameters.parameter("access_type"),
            type.value == "offline"
        else { return nil }
        return type
    }
}
