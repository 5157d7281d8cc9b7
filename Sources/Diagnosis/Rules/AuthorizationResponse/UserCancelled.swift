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
        switch Cancellation(in: flow) {
        case .answer(let error, let attempt, let response):
            let isReset = Cancellation.asksForNewPassword(error)
            return .violated(
                Violation(
                    evidence(error, attempt, response, flow),
                    variant: isReset ? "password-reset" : nil,
                    explanation: isReset ? Self.passwordReset : nil,
                    fix: !isReset ? nil : flow.ending == .success ? Self.resetFix : Self.passwordResetFix,
                    title: isReset ? Self.passwordResetTitle : nil,
                    exchange: response.exchange
                )
            )
        case .logout(let logout):
            return .violated(
                Violation(
                    [logout.answer(in: flow)],
                    saying: Self.declinedLogout,
                    exchange: logout.call.exchange
                )
            )
        case .native(let error):
            return .violated(
                Violation(
                    [Evidence(place: error.place, value: Masking.shown(error.text, of: "error"))],
                    exchange: error.place.exchange
                )
            )
        case .consent(let declined): return .violated(declined)
        case .elsewhere(let poll):
            return .violated(Violation([poll.answer.evidence()], exchange: poll.exchange))
        case nil: return .holds
        }
    }

    private static let passwordResetTitle = "The user asked for a new password"
    private static let passwordReset =
        "The person at the sign-in page asked for a new password. This provider leaves that to the app, and tells it so by an error."
    private static let passwordResetFix = """
        Have the callback begin a login with the policy that resets passwords where it gets this error; or use a sign-in policy that has the \
        reset built in.
        """

    private static let resetFix =
        "Nothing needs fixing: the app went on after it, and the login came to its end."

    private static let declinedLogout = Violation.Words(
        title: "The user chose to stay signed in",
        explanation: """
            The provider asked whether to sign out, and the person there said no. It tells that by an error, on a page or in its redirect; the session at the provider \
            goes on.
            """,
        fix:
            "Nothing needs fixing. Where the app has ended its own session by then, it signs the user in again without a question at the next login."
    )

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
