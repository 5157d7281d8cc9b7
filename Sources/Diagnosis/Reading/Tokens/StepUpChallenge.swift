import OAuth

/// An API that wants a stronger or a fresher sign-in than the one that the token comes from (RFC 9470, section 3).
enum StepUpChallenge {
    static func violation(by call: BearerCall, _ refusal: BearerRefusal, _ shown: BearerEvidence)
        -> Violation?
    {
        guard refusal.error(call.call.answer) == "insufficient_user_authentication" else { return nil }
        return Violation(
            shown.all,
            explanation: """
                The token is good, and the API asks for more: that the user signs in again, in a stronger way (acr_values) or more lately (max_age), as its \
                challenge says. The same token is refused however often it comes.
                """,
            fix: """
                When this error comes, begin an authorization request with the acr_values and max_age of the challenge, and repeat the call with the new access \
                token. Nothing becomes of it where the provider leaves acr and auth_time out of its access tokens.
                """,
            title: "The API wants a stronger or a fresher sign-in",
            exchange: call.call.exchange
        )
    }
}
