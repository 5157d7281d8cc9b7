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
        fix: StatedLack.refreshFix,
        badExample: """
            GET /authorize?…&scope=openid+offline_access
            POST /token → {"access_token":"…","id_token":"…"}
            """,
        goodExample: """
            GET /authorize?…&scope=openid+offline_access&prompt=consent
            POST /token → {"access_token":"…","id_token":"…","refresh_token":"…"}
            """,
        specifications: [
            .openIDConnectCore("11", "OfflineAccess")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let logins = flow.askedLogins
        return Verdict.firstViolation(
            among: flow.tokenRequests.filter { $0.isCodeExchange && $0.answer.isSuccess }
        ) { request in
            guard request.answer.isBodyWhole, request.accessToken != nil else {
                return .abstains(Gap.tokenResponse)
            }
            guard (request.issuedRefreshToken ?? "").isEmpty else { return .holds }
            guard
                let login = logins.first(where: {
                    $0.tokenRequests.contains { $0.exchange == request.exchange }
                })
            else {
                return .abstains(Gap.authorizationRequest)
            }
            guard let asked = wish(of: login.request, flow) else { return .holds }
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
    }

    private func wish(of request: AuthorizationRequest, _ flow: Flow) -> Parameter? {
        if let scope = request.parameters.parameter("scope"),
            scope.value.spaceDelimited.contains("offline_access")
        {
            return scope
        }
        guard flow.provider == .google, let type = request.parameters.parameter("access_type"),
            type.value == "offline"
        else { return nil }
        return type
    }
}
