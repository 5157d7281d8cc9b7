import Captures
import Flows
import OAuth

/// A login without any page was asked for, and the provider needs one.
///
/// `prompt=none` is a question (OpenID Connect Core, section 3.1.2.6), and this answer means no: sign the user in with
/// a page. Asked just before such a login, it is how single-page apps begin.
struct SilentLoginRequired: Rule {
    static let info = RuleInfo(
        id: "silent-login-required",
        title: "Silent sign-in was not possible: the provider has no session for this browser",
        severity: .error,
        explanation: """
            The request forbids the provider to show a page, and the provider cannot sign the user in without one: there is no session, or \
            something has to be confirmed or chosen.
            """,
        fix: """
            Begin an interactive login when this answer comes. If there ought to be a session, look at whether the provider's cookies are \
            sent: in a frame most browsers withhold them.
            """,
        badExample: """
            GET /authorize?…&prompt=none
            302 Found, Location: https://app.example/silent?error=login_required   and nothing after it
            """,
        goodExample: """
            GET /authorize?…&prompt=none
            302 Found, Location: https://app.example/silent?error=login_required
            GET /authorize?…                                                       the interactive login
            """,
        specifications: [
            .openIDConnectCore("3.1.2.6", "AuthError")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let request = attempt.request, request.isSilent, let prompt = attempt.parameter("prompt")
            else { return .holds }
            guard let answer = attempt.silentRefusal(in: flow) else { return .holds }
            let followed =
                Self.isFollowed(request, flow) || flow.surroundings.isAnsweredByLogin(request)
            return .violated(
                Violation(
                    [Evidence(prompt), answer, Self.cookies(of: attempt.exchange, flow)],
                    severity: followed ? .note : nil,
                    saying: Self.words(for: answer.value),
                    exchange: attempt.exchange
                )
            )
        }
    }

    // MARK: - Where there is a session

    /// By the name of the error, behind which its description may stand; nil for one that says nothing of the reason.
    private static func words(for error: String) -> Violation.Words? {
        if error.containsBytes("AADSTS16000") { return undecidedAtEntra }
        return switch error.prefix(while: { $0 != ":" }) {
        case "consent_required": unconsented
        case "account_selection_required": undecided
        default: nil
        }
    }

    private static let unconsented = Violation.Words(
        title: "Silent sign-in was not possible: the user has not agreed yet",
        explanation: """
            The request forbids the provider to show a page, and the provider has to ask the user first whether this client may have what it \
            asks for.
            """,
        fix: """
            Have the user agree once, in an interactive login. Where nobody is to be asked, let the provider leave consent out for this \
            client; Auth0 does so for first-party apps, and never for those on localhost.
            """
    )
    private static let undecided = Violation.Words(
        title: "Silent sign-in was not possible: the user has to choose an account",
        explanation: """
            The request forbids the provider to show a page, and there are several accounts of this browser among which the user has to choose.
            """,
        fix: """
            Name the account in login_hint, or by the ID token of the last login in id_token_hint. Else begin an interactive login.
            """
    )

    /// Entra says `interaction_required` of it.
    private static let undecidedAtEntra = Violation.Words(
        title: undecided.title,
        explanation: """
            The request forbids Entra to show a page. The browser has several accounts signed in, or one that this app's tenant and account types do not take, and Entra does not choose for the user.
            """,
        fix: """
            Name the account: login_hint (the claim login_hint of the last ID token is best, else the user name), or sid; in MSAL pass account or loginHint to ssoSilent and acquireTokenSilent. Else \
            begin an interactive login, with prompt=select_account.
            """
    )

    /// Whether an interactive login of the same client begins within a minute.
    private static func isFollowed(_ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        flow.exchanges(after: request.exchange, within: .seconds(60)).contains { index in
            guard case .authorizationRequest(let other) = flow.surroundings.messages[index] else {
                return false
            }
            return !other.isSilent && other.clientID == request.clientID
        }
    }

    /// The provider's cookies that came with the request, by name.
    private static func cookies(of exchange: Int, _ flow: Flow) -> Evidence {
        let names = flow.capture[exchange].request.cookies.map(\.name)
        let none = flow.surroundings.isSanitized(at: exchange) ? "not recorded" : "none"
        return Evidence(
            place: Place(exchange: exchange, part: .requestCookie, name: ""),
            value: names.isEmpty ? none : Excerpt.start(of: names.prefix(20).joined(separator: ", ")),
            note: "cookies that the provider received"
        )
    }
}
