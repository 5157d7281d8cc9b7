import Captures
import Flows
import OAuth

/// How a flow tells that its user did not want to go on.
enum Cancellation {
    /// An error that came to the app; in a login that went well, the detour over a new password.
    case answer(ErrorResponse, LoginAttempt, AuthorizationResponse)
    /// The user stayed signed in.
    case logout(LogoutCall)
    /// An error in a sign-in that the app itself shows.
    case native(ErrorResponse)
    /// A page that asked for consent was left by its other button.
    case consent(Violation)
    /// The word of the token endpoint, where it is decided on another device.
    case elsewhere(TokenRequest)

    /// Nil where nobody is seen to have cancelled.
    init?(in flow: Flow) {
        guard let found = flow.ending == .success ? Self.reset(in: flow) : Self.end(of: flow) else {
            return nil
        }
        self = found
    }

    private static func end(of flow: Flow) -> Cancellation? {
        if let attempt = (flow.loginAttempts + flow.attemptsWithoutRequest).last(where: { $0.response != nil }
        ),
            let response = attempt.response, let error = response.error,
            // Another answer came after it.
            flow.authorizationResponses.last?.exchange == response.exchange
        {
            return isSaid(by: error, attempt, response, flow) ? .answer(error, attempt, response) : nil
        }
        if let logout = LogoutCall.all(in: flow).last, logout.course.isDeclined { return .logout(logout) }
        if let error = NativeSignIn.cancellation(in: flow) { return .native(error) }
        if let declined = DeclinedConsent.violation(in: flow) { return .consent(declined) }
        guard let last = flow.tokenRequests.last(where: { $0.answer.status != nil }),
            last.isDecidedElsewhere, let error = last.answer.error,
            ["access_denied", "authorization_declined"].contains(error.error),
            UserRefusal.policyWords(in: error) == nil
        else { return nil }
        return .elsewhere(last)
    }

    /// The detour of a login that was answered in the end.
    private static func reset(in flow: Flow) -> Cancellation? {
        for attempt in flow.loginAttempts {
            guard let response = attempt.response, let error = response.error, asksForNewPassword(error)
            else {
                continue
            }
            return .answer(error, attempt, response)
        }
        return nil
    }

    /// Azure AD B2C leaves the way to a new password to the app.
    static func asksForNewPassword(_ error: ErrorResponse) -> Bool {
        error.text.containsBytes("AADB2C90118")
    }

    private static func isSaid(
        by error: ErrorResponse,
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
}
