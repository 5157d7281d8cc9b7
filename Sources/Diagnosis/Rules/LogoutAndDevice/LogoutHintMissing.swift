import Captures
import Flows
import OAuth

/// A logout request asks to be sent back and does not say whose session it ends.
///
/// Without `id_token_hint` the provider cannot tell a logout from a link that somebody else made: it asks
/// the user, or refuses (OpenID Connect RP-Initiated Logout, section 2). Some take `client_id` instead, some
/// insist on the hint.
struct LogoutHintMissing: Rule {
    static let info = RuleInfo(
        id: "logout-hint-missing",
        title: "The logout request does not say whose session to end",
        severity: .errorWhenRefused,
        explanation: """
            The logout request names an address to return to, but carries nothing by which the provider can tell the session and the client: \
            it stops at a page of its own instead of sending the user back.
            """,
        fix: """
            Keep the ID token of the login for as long as the session lasts, and send it as id_token_hint with the logout request; it may have \
            run out by then.
            """,
        badExample: """
            GET /logout?post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye
            400 Missing parameters: id_token_hint
            """,
        goodExample: """
            GET /logout?id_token_hint=eyJhbGciOi…&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye
            302 Location: https://app.example/bye
            """,
        specifications: [RPInitiatedLogout.section2]
    )

    func verdict(on flow: Flow) -> Verdict {
        var found: [Violation] = []
        let unregistered = RefusedLogoutRedirect(in: flow)?.logout.call.exchange
        lazy var unissued = unissuedToken(in: flow)
        for logout in LogoutCall.all(in: flow) where logout.dialect == .standard {
            let words = Self.texts.first(where: logout.refusalText.containsBytes)
            guard logout.hint == nil, logout.isKnown || words != nil,
                // A provider that names the address has looked for it.
                words != nil || unregistered != logout.call.exchange
            else { continue }
            let insists = words != nil || flow.provider == .okta || flow.provider == .forgerock
            let asksToReturn = logout.call.parameters.items.first {
                $0.name == "post_logout_redirect_uri" && !$0.value.isEmpty
            }
            let isNameless = logout.client == nil
            let isLeft = logout.course.isLeftAfterConfirming
            guard insists || isNameless || isLeft, asksToReturn != nil || words != nil else { continue }
            guard let severity = severity(of: logout.course, in: flow) else { continue }
            var evidence = [logout.names]
            evidence[0].note = "no id_token_hint" + (insists || !isNameless ? "" : ", no client_id")
            if let asksToReturn { evidence.append(Evidence(asksToReturn)) }
            evidence.append(logout.answer(quoting: words, in: flow))
            found.append(
                Violation(
                    evidence + [unissued].compactMap(\.self),
                    severity: severity,
                    explanation: isLeft && !isNameless ? Self.left : nil,
                    fix: unissued == nil ? nil : Self.unissuedFix,
                    exchange: logout.call.exchange
                )
            )
        }
        return Violation.worst(of: found).map { .violated($0) } ?? .holds
    }

    /// Nil where the provider sent the browser back as it was asked to.
    private func severity(of course: LogoutCourse, in flow: Flow) -> Severity? {
        switch course.end {
        case .refused: .error
        // The login was a good one, and the user is left at the provider.
        case .page:
            course.isLeftAfterConfirming || [.success, .cancelled].contains(flow.ending) ? .warning : .error
        case .sentBack: course.isConfirmed ? .warning : nil
        case .declined, .done, .unanswered: nil
        }
    }

    /// That the login brought no ID token which could be sent; nil where it did, or nobody saw.
    private func unissuedToken(in flow: Flow) -> Evidence? {
        guard flow.deliveredIDTokens.isEmpty,
            let request = flow.tokenRequests.last(where: { $0.isCodeExchange && $0.answer.isSuccess }),
            request.answer.isBodyWhole, request.accessToken != nil,
            (request.answer.parameters["id_token"] ?? "").isEmpty
        else { return nil }
        return Evidence(
            place: request.answer.place("id_token"),
            value: "missing",
            note: "the login brought none to send"
        )
    }

    private static let unissuedFix = """
        See first why the login brought no ID token: the scope openid is not asked for or not granted, or the provider knows OAuth alone. Then keep it, and send it as \
        id_token_hint. A provider that takes client_id in its place is served by that.
        """

    private static let left = """
        The provider asked the user before it ended the session, and did not send the browser back to the app. Without an ID token as id_token_hint \
        it need not (section 3): anybody can send a client_id, and it shows no session.
        """

    private static let texts = [
        "missing parameters: id_token_hint", "requires an id_token_hint",
        "parameter is missing: id_token_hint",
        "missing parameter: id_token_hint", "id_token_hint is required", "id_token_hint is missing",
    ]
}
