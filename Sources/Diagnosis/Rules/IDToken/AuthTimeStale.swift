import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The user signed in longer ago than the login allowed.
///
/// With `max_age` the ID token has to say when (`auth_time`), and the client has to look (OpenID Connect Core,
/// sections 3.1.2.1 and 3.1.3.7 (13)). `prompt=login` wants the user to sign in anew.
struct AuthTimeStale: Rule {
    static let info = RuleInfo(
        id: "auth-time-stale",
        title: "The login is older than max_age allows",
        severity: .errorWhenRefused,
        explanation: """
            The app asked for a recent sign-in, and the ID token's auth_time is older than that, or missing, so that nobody can tell. The provider \
            went on with a session it had, without asking the user again.
            """,
        fix: """
            See that max_age (in seconds) and prompt=login reach the provider, and that its session policy heeds them. Have auth_time in the ID \
            token; the client has to compare it.
            """,
        badExample: """
            GET /authorize?…&max_age=300, at 09:15:00
            id_token claims {"auth_time":1774512900, …}, which is 08:15:00
            """,
        goodExample: """
            GET /authorize?…&max_age=300, at 09:15:00
            id_token claims {"auth_time":1774516510, …}, which is 09:15:10
            """,
        specifications: [
            .openIDConnectCore("3.1.2.1", "AuthRequest"),
            .openIDConnectCore("3.1.3.7 (13)", "IDTokenValidation"),
        ]
    )

    private static let leeway: Int64 = 60
    private static let untold = Violation.Words(
        explanation: """
            The app asked for a recent sign-in, and the ID token does not say when the user signed in: it has no auth_time, which the provider has to put there \
            where max_age or the claim was asked for. The client cannot tell a fresh sign-in from an old session, and a strict one refuses the token.
            """,
        fix: """
            Have the provider put auth_time into the ID token (some have a switch or a mapper for it), and update one that does not know max_age.
            """
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.ofIDTokens(in: flow) { delivered, _, login in
            guard let evidence = staleness(of: delivered, login, flow) else { return nil }
            let isUntold = authenticated(delivered) == nil
            return Violation(
                evidence,
                severity: flow.wentOn(after: delivered) ? .warning : nil,
                saying: isUntold ? Self.untold : nil,
                exchange: delivered.idToken.place.exchange
            )
        }
    }

    /// Nil where the sign-in is as fresh as was asked for.
    private func staleness(of delivered: DeliveredIDToken, _ login: Login, _ flow: Flow) -> [Evidence]? {
        let limit = login.request.parameters.parameter("max_age").flatMap { parameter in
            Int64(parameter.value).map { (parameter: parameter, seconds: max(0, min($0, 1_000_000_000))) }
        }
        guard let time = authenticated(delivered) else {
            guard let wanted = limit?.parameter ?? requirement(delivered, flow) else { return nil }
            return [Evidence(wanted), delivered.missing("auth_time")]
        }
        // Who signed in after being sent there is fresh, however long consent took.
        let asked = AnswerTime(of: login.request.exchange, in: flow)
        guard time < asked.time.seconds - Self.leeway else { return nil }
        if let limit, let answer = delivered.delivery(in: flow),
            answer.time.seconds - time > limit.seconds + Self.leeway
        {
            return [
                Evidence(limit.parameter),
                delivered.evidence(
                    ofTime: "auth_time",
                    time,
                    note: "\(Span.text(answer.time.seconds - time)) before the answer"
                ), answer.evidence(),
            ]
        }
        // By another clock than the provider's, minutes mean nothing.
        guard asked.isStated, let prompt = login.request.parameters.parameter("prompt"),
            prompt.value.spaceDelimited.contains("login")
        else { return nil }
        return [
            Evidence(prompt, note: "the user has to sign in anew"),
            delivered.evidence(
                ofTime: "auth_time",
                time,
                note: "\(Span.text(asked.time.seconds - time)) before the request"
            ), asked.evidence(),
        ]
    }

    /// When the user signed in; digits in a string say it, too, though a number is due (section 2).
    private func authenticated(_ delivered: DeliveredIDToken) -> Int64? {
        delivered.idToken.token.seconds("auth_time", takingDigits: true)
    }

    /// `require_auth_time` of a client whose registration is in the capture.
    private func requirement(_ delivered: DeliveredIDToken, _ flow: Flow) -> Parameter? {
        delivered.clientNames(in: flow).lazy
            .compactMap {
                flow.registeredClient($0, before: delivered.idToken.place.exchange)?
                    .member("require_auth_time")
            }
            .first { $0.value == "true" }
    }
}
