import Captures
import Flows
import OAuth

/// The provider names a rule of its own that keeps this user or client out: no assignment, no consent of an
/// administrator, a condition that is not met.
struct AccessDeniedByPolicy: Rule {
    static let info = RuleInfo(
        id: "access-denied-by-policy",
        title: "The provider does not let this user or client in",
        severity: .error,
        explanation: """
            The request was in order, but a rule that somebody set at the provider does not let this user, or this app, through. The text of \
            the answer says which.
            """,
        fix: """
            It is settled at the provider: assign the user or group to the app, give the administrator's consent, publish the app or add the \
            user to its testers, or meet the condition that the text names.
            """,
        badExample: """
            302 Location: https://app.example/callback?error=access_denied&error_description=User+is+not+assigned+to+the+client+application.
            """,
        goodExample: """
            302 Location: https://app.example/callback?code=…&state=…
            """,
        specifications: [.rfc(6749, "4.1.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts + flow.attemptsWithoutRequest {
            // What a hidden request may not show, an interactive one will.
            guard attempt.request.map({ !$0.isSilent }) ?? (attempt.response != nil) else { continue }
            if let response = attempt.response {
                if let stop = IdentityAwareProxy.violation(of: response, in: flow) { return .violated(stop) }
                guard let error = response.error, isPolicy(error, flow) else { continue }
                return .violated(
                    Violation(
                        [Evidence(place: error.place, value: Masking.shown(error.text, of: "error"))],
                        saying: Self.words(for: UserRefusal.policyWords(in: error))
                    )
                )
            }
            guard let request = attempt.request else { continue }
            let pages = ProviderPages.of(request, in: flow)
            for page in pages {
                if let denial = AuthentikStage.denial(on: page, in: flow) {
                    return .violated(Violation([denial], exchange: page))
                }
                guard let refusal = flow.refusal(on: [page], redirectURI: request.redirectURI),
                    let words = AccessPolicy.words(in: refusal.text) ?? ErrorPage.denial(in: refusal.text)
                        ?? ErrorPage.shutOut(on: page, in: flow.surroundings)
                else { continue }
                return .violated(
                    Violation(
                        [refusal.evidence(around: [words])],
                        saying: Self.words(for: words),
                        exchange: page
                    )
                )
            }
            if let shutOut = ConditionalAccess.violation(onLastOf: pages, in: flow) {
                return .violated(shutOut)
            }
        }
        let refusal =
            refusal(ofTokensIn: flow)
            ?? denial(ofDevicesUserIn: flow)
            ?? OrganizationRefusal.violation(in: flow)
            ?? ServiceRefusal.violation(in: flow)
        return refusal.map { .violated($0) } ?? .holds
    }

    /// What the user was shown who was to confirm the code of a device, and did not go on from.
    ///
    /// That access is denied may be what the user wanted, and is told the device.
    private func denial(ofDevicesUserIn flow: Flow) -> Violation? {
        guard flow.grant == GrantType.deviceCode, flow.ending != .success,
            let page = UnconfirmedDevice.lastPage(in: flow)
        else { return nil }
        if let shutOut = ConditionalAccess.violation(onLastOf: [page], in: flow) { return shutOut }
        guard let refusal = flow.refusal(on: [page], redirectURI: nil),
            let words = AccessPolicy.words(in: refusal.text)
        else { return nil }
        return Violation(
            [refusal.evidence(around: [words])],
            saying: Self.words(for: words),
            exchange: page
        )
    }

    private func refusal(ofTokensIn flow: Flow) -> Violation? {
        for request in flow.tokenRequests {
            guard let error = request.answer.error, let words = UserRefusal.policyWords(in: error) else {
                continue
            }
            let isRepeated = flow.tokenRequests.contains {
                $0.answer.isSuccess && $0.grantType == request.grantType && $0.startedAt > request.startedAt
            }
            guard !isRepeated else { continue }
            return request.needsInteraction
                ? interaction(request, flow)
                : Violation(
                    [request.answer.evidence()],
                    saying: ConditionalAccess.words(for: request) ?? Self.words(for: words),
                    exchange: request.exchange
                )
        }
        return nil
    }

    /// A refresh that its user has to be asked something for, as the provider says.
    private func interaction(_ request: TokenRequest, _ flow: Flow) -> Violation {
        let claims = request.answer.parameters.parameter("claims").flatMap { $0.value.isEmpty ? nil : $0 }
        return Violation(
            [request.answer.evidence()]
                + [claims, request.answer.parameters.parameter("suberror")].compactMap {
                    $0.map { Evidence($0) }
                },
            severity: flow.surroundings.isAnsweredByLogin(request) ? .note : nil,
            saying: RefusedGrant.interaction,
            exchange: request.exchange
        )
    }

    /// Of a client that is known and switched off; nil of other policies.
    private static func words(for policy: String?) -> Violation.Words? {
        guard let policy, AccessPolicy.isOfClient(policy) else { return nil }
        return Violation.Words(
            title: "The client is switched off at the provider",
            explanation: """
                The provider knows the client_id, and somebody has switched off the client that it stands for, so no user of this app gets in. The request itself was not \
                looked at.
                """,
            fix: """
                Switch the client on again at the provider (Keycloak and Curity: Enabled, in the settings of the client; WSO2: Enable, at the application), or ask there why it is off. If \
                another one took its place, send that one's client_id.
                """
        )
    }

    private func isPolicy(_ error: ErrorResponse, _ flow: Flow) -> Bool {
        // What an action of Auth0 denies with.
        if error.error == "unauthorized", flow.provider == .auth0 { return true }
        if UserRefusal.isOfAnAction(error, flow.provider) { return true }
        return UserRefusal.policyWords(in: error) != nil
    }
}
