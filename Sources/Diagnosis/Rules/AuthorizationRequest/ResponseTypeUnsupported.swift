import Captures
import Flows
import JSON
import OAuth

/// The provider, or this client's registration, does not allow the response type or mode.
///
/// Order does not matter in a response type (RFC 6749, section 3.1.1); the list in the metadata is read as sets of words.
struct ResponseTypeUnsupported: Rule {
    static let info = RuleInfo(
        id: "response-type-unsupported",
        title: "The provider or client does not allow this response type or mode",
        severity: .errorWhenRefused,
        explanation: """
            The provider does not do what response_type (or response_mode) asks for, or not for this client: flows have to be enabled one by \
            one in most registrations.
            """,
        fix: "Use response_type=code, and enable the authorization code flow in the client's registration.",
        badExample: """
            GET /authorize?response_type=token&client_id=shop&…
            302 Found, Location: https://app.example/callback#error=unsupported_response_type
            """,
        goodExample: """
            GET /authorize?response_type=code&client_id=shop&…
            302 Found, Location: https://app.example/callback?code=…
            """,
        specifications: [
            .rfc(6749, "4.1.2.1"),
            SpecificationReference(
                text: "OAuth 2.0 Multiple Response Types §5",
                url: "https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#Combinations"
            ),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let refusal = attempt.refusal else { return takenUnlisted(attempt, flow) }
            guard refusal.isOfTheRequest, !isLeftOut(attempt, refusal) else { return .holds }
            let unlisted = unlisted(attempt, flow)
            let isNamed =
                ResponseTypeRefusal.isNamed(by: refusal) || isOfTheMethod(refusal, attempt)
                || ResponseTypeRefusal.isOfTheFlow(refusal.text)
            // Metadata alone is no proof where the provider names another fault.
            let isLeftOpen = [nil, "invalid_request", "unauthorized_client"].contains(refusal.error)
            let isUnheardOf = attempt.responseTypes.contains { !Self.words.contains($0) }
            guard isNamed || (unlisted != nil || isUnheardOf) && isLeftOpen else { return .holds }
            let sent = ["response_type", "response_mode"].compactMap { attempt.parameter($0) }.map {
                Evidence(
                    $0,
                    note: isUnheardOf && $0.name == "response_type" ? "no such type is registered" : nil
                )
            }
            let isPostWanted = refusal.says([Self.postWanted]) && attempt["response_mode"] != "form_post"
            let mode =
                isPostWanted && attempt["response_mode"] == nil ? [attempt.missing("response_mode")] : []
            return .violated(
                Violation(
                    (sent.isEmpty ? [attempt.names()] : sent) + mode + (unlisted.map { [$0] } ?? [])
                        + [refusal.evidence(around: ResponseTypeRefusal.words)],
                    severity: .error,
                    fix: isPostWanted
                        ? Self.postFix : isOfTheMode(refusal, attempt) ? Self.modeFix : nil,
                    exchange: attempt.exchange
                )
            )
        }
    }

    /// Whether there was none to refuse: some providers say `unsupported_response_type` where it is missing, which is another rule's.
    private func isLeftOut(_ attempt: LoginAttempt, _ refusal: RequestRefusal) -> Bool {
        attempt.responseTypes.isEmpty && refusal.error == "unsupported_response_type"
            && attempt.hiddenParameters == nil
    }

    /// What Apple says where a name or an address is asked for, in lower case.
    private static let postWanted = "response_mode must be form_post"
    private static let postFix = """
        Send response_mode=form_post: Apple gives a name or an email address to such requests alone. The answer then comes as a POST from Apple's page, so the callback \
        has to take one, and its cookie needs SameSite=None; Secure. Without the scopes name and email no response_mode is needed.
        """

    private static let modeFix =
        "Leave response_mode out, or send one that response_modes_supported in the provider's metadata has."

    private func isOfTheMode(_ refusal: RequestRefusal, _ attempt: LoginAttempt) -> Bool {
        attempt.parameter("response_mode") != nil
            && (refusal.error == "unsupported_response_mode"
                || refusal.says(["response_mode", "response mode"]))
    }

    /// Whether a client that the provider knows is not authorized "using this method" (RFC 6749, section 4.1.2.1), without another
    /// word, and had not asked for a code alone.
    private func isOfTheMethod(_ refusal: RequestRefusal, _ attempt: LoginAttempt) -> Bool {
        refusal.error == "unauthorized_client" && refusal.channel == .delivered
            && ["", "unauthorized_client"].contains(refusal.text)
            && !attempt.responseTypes.isEmpty && attempt.responseTypes != ["code"]
    }

    /// A type that is not in the provider's list, where the provider did not mind and nothing came of it.
    private func takenUnlisted(_ attempt: LoginAttempt, _ flow: Flow) -> Verdict {
        guard let request = attempt.request, !request.isUnseen, attempt.response == nil,
            attempt.tokenRequests.isEmpty, flow.ending != .success,
            flow.capture[request.exchange].response != nil,
            let type = attempt.parameter("response_type"), let unlisted = unlisted(attempt, flow)
        else { return .holds }
        return .violated(
            Violation([Evidence(type), unlisted], severity: .warning, exchange: attempt.exchange)
        )
    }

    /// The provider's list, where the response type is not in it.
    private func unlisted(_ attempt: LoginAttempt, _ flow: Flow) -> Evidence? {
        guard let document = flow.metadata(of: attempt), !attempt.responseTypes.isEmpty,
            let list = document.list("response_types_supported"),
            !list.isEmpty
        else { return nil }
        let words = Set(attempt.responseTypes)
        guard !list.contains(where: { Set($0.spaceDelimited) == words }) else { return nil }
        return Evidence(
            place: document.answer.place("response_types_supported"),
            value: Masking.shown(list.prefix(12).joined(separator: ", "), of: "list"),
            note: "the one that was sent is not among them"
        )
    }

    /// Of the registered types and their combinations, which are told by upper and lower case (RFC 6749, section 11.3; OAuth 2.0
    /// Multiple Response Types).
    private static let words: Set<String> = ["code", "token", "id_token", "none"]
}
