/// What a comparison of two flows takes for granted.
package struct ComparisonOptions: Sendable {
    /// Names that are never compared: `ui_locales`, or `token_request.scope` for one kind of step.
    package var ignoring: [String]
    /// Names always compared by value although learned to be volatile, written as those above.
    package var comparing: [String]
    /// URL prefixes of the first flow with what stands for them in the second (`https://sso.example.com`,
    /// `http://127.0.0.1:8080`), so that issuer, endpoints, redirect targets and `aud` compare equal when mapped.
    package var mapped: [(old: String, new: String)]
    /// The second flow is another provider's: only what the specifications require of both sides is a difference, the
    /// rest (optional claims, unregistered members of answers, form of the access token, pages of sign-in) a note.
    package var isOtherProvider: Bool
    /// Exchanges of the first flow of which no counterpart is to be expected (the app's own, when only the provider
    /// was driven).
    package var leavingOut: Set<Int>
    /// Exchanges of the first flow that were asked for again and answered with the same status.
    ///
    /// Where the second flow has no such step, it lacks the metadata that name the endpoint, and not the request: told, and no difference.
    package var repeated: Set<Int> = []
    /// What the requests of the second flow were to say in place of the recorded values: told, and no difference.
    package var given = GivenValues()
    /// Somebody else signs in than in the first flow: what the provider says of that person is told, and no difference.
    package var isOtherUser = false

    package init(
        ignoring: [String] = [],
        comparing: [String] = [],
        mapped: [(old: String, new: String)] = [],
        isOtherProvider: Bool = false,
        leavingOut: Set<Int> = []
    ) {
        self.ignoring = ignoring
        self.comparing = comparing
        self.mapped = mapped
        self.isOtherProvider = isOtherProvider
        self.leavingOut = leavingOut
    }
}
