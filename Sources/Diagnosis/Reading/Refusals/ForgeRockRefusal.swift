import Captures
import Flows
import JSON
import OAuth

/// Why ForgeRock refused a sign-in at its API, by its message.
struct ForgeRockRefusal {
    var explanation: String
    var fix: String

    /// By what the refused step was answered, reason and message.
    ///
    /// `isOfAPage`: whether the script of the provider's own page goes through the steps, behind an authorization request, and not the
    /// app; it is asked where the message names no reason of its own.
    init(named text: String, isOfAPage: Bool) {
        let lower = text.lowercased()
        let known = Self.known.first { $0.words.contains(where: lower.containsBytes) }
        explanation = known?.explanation ?? (isOfAPage ? Self.failedOnPage : Self.failed)
        fix = known?.fix ?? Self.failedFix
    }

    private static let title = "ForgeRock refused the sign-in before the app could ask for a code"

    /// Of a flow that has nothing but such a sign-in; nil for any other flow.
    static func violation(in flow: Flow) -> Violation? {
        guard let step = flow.refusedJourney, let refusal = NativeSignIn.refusal(ofStep: step, in: flow)
        else { return nil }
        let words = Self(named: refusal.text, isOfAPage: false)
        let first = flow.exchanges.first { ForgeRockStep.isOne(flow.capture[$0]) } ?? step
        let journey = flow.capture[first].request.url.queryItems.first("authIndexValue").map { name in
            Evidence(
                place: Place(exchange: first, part: .requestQuery, name: "authIndexValue"),
                value: Masking.shown(name, of: "authIndexValue"),
                note: "the journey that the app asks for"
            )
        }
        return Violation(
            [refusal.evidence(), failureURL(of: step, in: flow), journey].compactMap(\.self),
            explanation: words.explanation,
            fix: words.fix,
            title: title,
            exchange: step
        )
    }

    /// Where the refused step says that its user is to be sent: the journey came to a Failure URL.
    static func failureURL(of step: Int, in flow: Flow) -> Evidence? {
        let answer = JSONBody.object(of: flow.capture[step].response?.body, below: largest)
        guard let url = answer?["detail"]?.object?["failureUrl"]?.string, !url.isEmpty else { return nil }
        return Evidence(
            place: Place(exchange: step, part: .responseBody, name: "failureUrl"),
            value: Masking.shown(url, of: "url"),
            note: "where the journey sends the user, by a Failure URL node or the realm's settings"
        )
    }

    /// In bytes.
    private static let largest = 1 << 16

    // MARK: - Words

    private struct Known: Sendable {
        var words: [String]
        var explanation: String
        var fix: String
    }

    private static let failed = """
        The app signs its user in step by step at /json/\u{2026}/authenticate, and the journey came to its end without a session: a name or password that is wrong, or a \
        condition of a node that was not met. An authorization request follows only once there is a session.
        """
    private static let failedOnPage = """
        The script of the sign-in page goes through a journey at /json/\u{2026}/authenticate, and it came to its end without a session: a name or password that is \
        wrong, or a condition of a node that was not met. The authorization request itself was not refused.
        """
    private static let failedFix = """
        Sign in with the same name and password on the pages of this realm. Where that works, follow the journey node by node to its Failure; the authentication log of \
        AM (am-authentication) names the node and the reason.
        """

    private static let known = [
        Known(
            words: ["locked out", "account has been locked", "account is locked", "user locked"],
            explanation: """
                ForgeRock has locked the account of this user, after too many wrong passwords or by an administrator. It says so whatever password is sent, so the app can \
                do nothing about it.
                """,
            fix: """
                Unlock the user (inetUserStatus Active, and the attributes of the lockout cleared), or wait for the lockout to run out where it has a duration. If it came too \
                early, see the Account Lockout settings of the realm and the Retry Limit Decision node of the journey.
                """
        ),
        Known(
            words: ["no configuration found"],
            explanation: """
                There is no journey (tree) or service of the name that the app asks for in this realm, so the sign-in could not even begin.
                """,
            fix: """
                Compare authIndexValue and the realm in the path with the journeys of that realm, letter by letter; a journey that is not enabled counts as missing.
                """
        ),
        Known(
            words: ["session has timed out", "session timeout", "max duration"],
            explanation: """
                The journey took longer than it may between its steps: its authId has run out, and with it all that was entered.
                """,
            fix: """
                Begin the journey anew, without an authId, when this answer comes. Where users need longer, raise the journey's maximum duration, or its Max session time in \
                the authentication settings.
                """
        ),
        Known(
            words: ["invalid realm", "realm not found"],
            explanation:
                "ForgeRock knows no realm of the name that the address has, so the sign-in could not even begin.",
            fix: """
                Compare the path behind realms/root/realms/ with the realms in the console, letter by letter, and see that the realm is active; Advanced Identity Cloud has alpha \
                and bravo. SDKs have it in a setting of its own (realmPath).
                """
        ),
        Known(
            words: ["maximum sessions limit", "session quota"],
            explanation:
                "The user may have a number of sessions at a time, and has them all: ForgeRock begins no further one.",
            fix: """
                Sign out elsewhere, or wait. See Session Quotas in the realm's session service (active user sessions, and what happens when they are exhausted: DENY_ACCESS says no, \
                the others end an old one). An app that signs in anew instead of using its session fills them up.
                """
        ),
        Known(
            words: ["module based authentication is not allowed"],
            explanation:
                "The app asks for a module by its name (authIndexType=module), which the realm does not allow.",
            fix:
                "Ask for a journey by authIndexType=service and its name; or switch Module Based Authentication on in the realm's authentication settings (security), where there still are modules."
        ),
        Known(
            words: ["account has expired", "account expired"],
            explanation: "The account of this user has run out at ForgeRock, so no password signs it in.",
            fix:
                "Give the account another end in the identity store (iplanet-am-user-account-life), or sign in as somebody else."
        ),
        Known(
            words: ["not active", "inactive", "disabled"],
            explanation: "The account of this user is not active at ForgeRock, so no password signs it in.",
            fix:
                "Activate the user in the realm (accountStatus, inetUserStatus), or sign in as somebody else."
        ),
        Known(
            words: ["requires profile"],
            explanation: """
                The journey was passed, but ForgeRock found no profile of this user in the realm's identity store and wants one.
                """,
            fix: """
                Have the user in the identity store of this very realm, or set the user profile of the realm's authentication settings to Dynamic or Ignored.
                """
        ),
    ]
}
