import Captures
import Flows
import OAuth

/// The user said no: at the sign-in page, at the consent page, or on the other device.
struct UserCancelled: Rule {
    static let info = RuleInfo(
        id: "user-cancelled",
        title: "The user cancelled or declined",
        severity: .note,
        explanation: """
            The provider reports that the person at the sign-in or consent page did not want to go on. App and provider did what they should.
            """,
        fix: "Nothing needs fixing. Show the signed-out screen again, without an error.",
        badExample: """
            302 Location: https://app.example/callback?error=access_denied&error_description=The+user+declined&state=…
            """,
        goodExample: """
            302 Location: https://app.example/callback?code=…&state=…
            """,
        specifications: [.rfc(6749, "4.1.2.1"), .rfc(8628, "3.5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard flow.ending != .success else { return resetOnTheWay(in: flow).map { .violated($0) } ?? .holds }
        if let attempt = (flow.loginAttempts + flow.attemptsWithoutRequest).last(where: { $0.response != nil }
        ),
            let response = attempt.response, let error = response.error,
            // Another answer came after it.
            flow.authorizationResponses.last?.exchange == response.exchange
        {
            guard isCancelled(error, attempt, response, flow) else { return .holds }
            return .violated(
                Violation(
                    evidence(error, attempt, response, flow),
                    variant: variant(error),
                    explanation: variant(error).map { _ in Self.passwordReset },
                    fix: variant(error).map { _ in Self.passwordResetFix },
                    title: variant(error).map { _ in Self.passwordResetTitle },
                    exchange: response.exchange
                )
            )
        }
        if let logout = LogoutCall.all(in: flow).last, logout.course.isDeclined {
            return .violated(
                Violation(
                    [logout.answer(in: flow)],
                    saying: Self.declinedLogout,
                    exchange: logout.call.exchange
                )
            )
        }
        if let error = NativeSignIn.cancellation(in: flow) {
            return .violated(
                Violation(
                    [Evidence(place: error.place, value: Masking.shown(error.text, of: "error"))],
                    exchange: error.place.exchange
                )
            )
        }
        if let declined = DeclinedConsent.violation(in: flow) { return .violated(declined) }
        guard let last = flow.tokenRequests.last(where: { $0.answer.status != nil }),
            last.isDecidedElsewhere, let error = last.answer.error,
            ["access_denied", "authorization_declined"].contains(error.error),
            UserRefusal.policyWords(in: error) == nil
        else { return .holds }
        return .violated(Violation([last.answer.evidence()], exchange: last.exchange))
    }

    private func isCancelled(
        _ error: ErrorResponse,
        _ attempt: LoginAttempt,
        _ response: AuthorizationResponse,
        _ flow: Flow
    ) -> Bool {
        // A broker's word for what went wrong at the provider behind it.
        if flow.innerFailure?.isFault ?? false { return false }
        if UserRefusal.isOfAnAction(error, flow.provider) { return false }
        let isAnsweredAtOnce = attempt.request.map { flow.isAnsweredAtOnce($0, by: response) } ?? false
        if UserRefusal.isOne(error, isAnsweredAtOnce: isAnsweredAtOnce) { return true }
        guard error.error == "consent_required", AccessPolicy.words(in: error) == nil,
            let request = attempt.request, !request.isSilent
        else { return false }
        // Somebody was asked: there was a page between request and answer.
        let end = flow.surroundings.position[response.exchange]
        return ProviderPages.of(request, in: flow).contains { page in
            flow.surroundings.position[page] <= end
                && flow.capture[page].response?.body?.isPage ?? false
                && flow.capture[page].response?.location == nil
        }
    }

    private static let passwordResetTitle = "The user asked for a new password"
    private static let passwordReset =
        "The person at the sign-in page asked for a new password. This provider leaves that to the app, and tells it so by an error."
    private static let passwordResetFix = """
        Have the callback begin a login with the policy that resets passwords where it gets this error; or use a sign-in policy that has the \
        reset built in.
        """

    private static let declinedLogout = Violation.Words(
        title: "The user chose to stay signed in",
        explanation: """
            The provider asked whether to sign out, and the person there said no. It tells that by an error, on a page or in its redirect; the session at the provider \
            goes on.
            """,
        fix:
            "Nothing needs fixing. Where the app has ended its own session by then, it signs the user in again without a question at the next login."
    )

    /// The detour of a login that was answered in the end.
    private func resetOnTheWay(in flow: Flow) -> Violation? {
        for attempt in flow.loginAttempts {
            guard let response = attempt.response, let error = response.error, variant(error) != nil else {
                continue
            }
            return Violation(
                evidence(error, attempt, response, flow),
                variant: variant(error),
                explanation: Self.passwordReset,
                fix: "Nothing needs fixing: the app went on after it, and the login came to its end.",
                title: Self.passwordResetTitle,
                exchange: response.exchange
            )
        }
        return nil
    }

    private func variant(_ error: ErrorResponse) -> String? {
        error.text.containsBytes("AADB2C90118") ? "password-reset" : nil
    }

    private func evidence(
        _ error: ErrorResponse,
        _ attempt: LoginAttempt,
        _ response: AuthorizationResponse,
        _ flow: Flow
    ) -> [Evidence] {
        let said = Evidence(place: error.place, value: Masking.shown(error.text, of: "error"))
        guard let request = attempt.request else { return [said] }
        let start = flow.capture[request.exchange].startedAt
        let seconds = (flow.capture[response.exchange].startedAt - start).components.seconds
        return [
            said,
            .computed("sign-in", "\(max(0, seconds)) s", in: .timing, note: "from the request to the answer"),
        ]
    }
}
