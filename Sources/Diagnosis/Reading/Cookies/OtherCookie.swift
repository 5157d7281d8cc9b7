import Captures
import Flows
import JSON
import OAuth

/// Where a cookie came in place of the one that the provider knows the sign-in by.
enum OtherCookie {
    /// A step of the sign-in that was refused and came with the cookie of another login, which was begun in a second tab.
    ///
    /// Looked for in the last of the steps alone: that is where such a sign-in ends.
    static func overwritten(in flow: Flow) -> Violation? {
        guard
            let attempt = flow.loginAttempts.last(where: {
                $0.request != nil && $0.response.map { $0.error != nil } ?? true
            }), let request = attempt.request
        else { return nil }
        let pages = ProviderPages.of(request, in: flow).prefix(50)
        guard let page = pages.dropFirst().last, let refusal = RefusedStep.place(page, attempt, flow) else {
            return nil
        }
        let sent = Dictionary(
            flow.capture[page].request.cookies.map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        let lost = ExpectedCookies.all(at: page, after: pages.dropLast(), flow).filter { setting in
            sent[setting.cookie.name].map { $0 != setting.cookie.value } ?? false
        }
        for lost in lost.prefix(4) {
            guard let overwritten = OverwrittenCookie.of(lost, at: page, in: flow),
                overwritten.reason == .otherLogin
            else { continue }
            return Violation(
                [
                    LostLoginCookies.evidence(lost, note: overwritten.note),
                    LostLoginCookies.evidence(overwritten.setting, note: "what the browser sent"),
                    RefusedStep.evidence(at: refusal, flow),
                ],
                explanation: """
                    The provider keeps one sign-in that is under way by a cookie. While its page was open, another login was begun in the same browser and \
                    took the cookie's place, so the form of the first came with the cookie of the second, and the provider refused it.
                    """,
                fix: """
                    Finish the login in the tab that was opened last, or begin again in one tab. Providers avoid it by a cookie for each sign-in, or by \
                    putting the new request in place of the old one; apps by not beginning a login for each request that finds no session.
                    """,
                title: "Another login in the same browser took the place of this one",
                exchange: page
            )
        }
        return nil
    }

    /// The session that an app got by a script's sign-in at ForgeRock, and sent to the authorization endpoint as another cookie
    /// than it was set as: the cookie's name is a setting of the tenant's, and of the SDK.
    static func misnamed(in flow: Flow) -> Violation? {
        for attempt in flow.loginAttempts where attempt.response == nil {
            guard let request = attempt.request, !request.isUnseen,
                let response = flow.capture[request.exchange].response, response.isRedirection
            else { continue }
            let asked = flow.capture[request.exchange].request
            let steps = flow.exchanges(before: request.exchange, within: .seconds(600))
            for step in steps where flow.capture[step].request.url.origin == asked.url.origin {
                guard let session = ForgeRockSignIn.cookie(setBy: step, in: flow.capture) else { continue }
                let name = session.cookie.name
                guard
                    let sent = asked.cookies.first(where: { $0.value.equalsBytes(of: session.cookie.value) }),
                    !asked.cookies.contains(where: { $0.name.equalsBytes(of: name) })
                else { break }
                return Violation(
                    [
                        LostLoginCookies.evidence(
                            session,
                            note: "the session that the sign-in was answered with"
                        ),
                        Evidence(
                            place: Place(exchange: request.exchange, part: .requestHeader, name: "Cookie"),
                            value: Masking.shown(sent.name, of: "name"),
                            note: "the same session, under another name"
                        ),
                        RefusedStep.evidence(
                            at: Place(exchange: request.exchange, part: .responseLocation, name: ""),
                            flow
                        ),
                    ],
                    explanation: """
                        The user signed in, and the app has the session. It sends it to the authorization endpoint as the cookie \(Masking.shown(sent.name, of: "name")), where the \
                        provider calls it \(Masking.shown(name, of: "name")): so the provider sees no session and asks for a sign-in again.
                        """,
                    fix: """
                        Set the name of the session cookie in the SDK's configuration (cookieName) to the tenant's own; the provider tells it in its server \
                        information (/json/serverinfo/*).
                        """,
                    title: "The session is sent as another cookie than the provider set it as",
                    exchange: request.exchange
                )
            }
        }
        return nil
    }
}
