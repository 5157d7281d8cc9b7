import Captures
import Flows
import OAuth

/// The provider keeps the user's session in a cookie that lasts as long as the browser is open, and a second
/// app's in-app browser tab does not see it: the user has to sign in again.
struct SessionCookieNotPersistent: Rule {
    static let info = RuleInfo(
        id: "session-cookie-not-persistent",
        title: "The SSO session is a session cookie that in-app browser tabs do not share",
        severity: .warning,
        explanation: """
            After the first app's sign-in the provider set its cookie without Expires and Max-Age. The tab in which iOS shows the second app's \
            sign-in shares lasting cookies with Safari only, so the provider did not know the user there and asked for the password again.
            """,
        fix: """
            Let the provider issue a cookie that lasts (ForgeRock AM: a tree with the persistent cookie nodes, chosen by acr_values). Where \
            that is not to be had, sign in by Safari itself.
            """,
        badExample: """
            app 1   POST /sign-in → 302   Set-Cookie: SESSION=…; Secure
            app 2   GET /authorize?…   no Cookie → 200 Sign in
            """,
        goodExample: """
            app 1   POST /sign-in → 302   Set-Cookie: SESSION=…; Secure; Max-Age=43200
            app 2   GET /authorize?…   Cookie: SESSION=… → 302 …?code=…
            """,
        specifications: [.rfc(8252, "8.12")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard let attempt = flow.loginAttempts.first, let request = attempt.request,
            let host = request.endpoint.host, isTab(request.exchange, flow), !isAsked(attempt),
            let page = attempt.pages.last, isLoginPage(page, flow)
        else { return .holds }
        guard !flow.surroundings.isSanitized(at: request.exchange) else {
            return .abstains(Gap.strippedCookies)
        }
        guard !flow.surroundings.mayLackCookies(at: request.exchange) else {
            return .abstains(Gap.noCookies)
        }
        let sent = Set(flow.capture[request.exchange].request.cookies.map(\.name))
        for session in ProviderSession.all(at: host, before: request.exchange, in: flow) {
            let cookie = session.cookie.cookie
            guard
                session.request.clientID != request.clientID
                    || session.request.redirectURI != request.redirectURI,
                isTab(session.request.exchange, flow),
                !flow.surroundings.browsers.areOnTwoDevices(session.request.exchange, request.exchange),
                cookie.maxAge == nil, cookie.expires == nil,
                !sent.contains(cookie.name), covers(session.cookie, flow.capture[request.exchange]),
                !session.isEnded(before: request.exchange, in: flow)
            else { continue }
            return .violated(
                Violation([
                    LostLoginCookies.evidence(session.cookie, note: "no Expires and no Max-Age"),
                    Evidence(
                        place: Place(exchange: request.exchange, part: .requestHeader, name: "Cookie"),
                        value: CookieNames.shown(sent),
                        note: "without \(cookie.name)"
                    ),
                    flow.urlEvidence(of: page, note: "the sign-in page again"),
                ])
            )
        }
        return .holds
    }

    /// Safari of iOS, or a tab of it in an app.
    private func isTab(_ exchange: Int, _ flow: Flow) -> Bool {
        let agent = flow.capture[exchange].request.userAgent ?? ""
        return ["iPhone", "iPad", "iPod"].contains(where: agent.containsBytes)
            && ["Version/", "Mobile/", "Safari/"].allSatisfy(agent.containsBytes)
    }

    /// Whether the app itself wanted the user to be asked.
    private func isAsked(_ attempt: LoginAttempt) -> Bool {
        let prompts = attempt["prompt"]?.spaceDelimited ?? []
        return prompts.contains("login") || prompts.contains("none") || attempt["max_age"] == "0"
    }

    private func isLoginPage(_ page: Int, _ flow: Flow) -> Bool {
        guard let response = flow.capture[page].response, response.location == nil else { return false }
        return response.status == 200 && response.body?.isPage ?? false
    }

    private func covers(_ setting: CookieDelivery.Setting, _ exchange: Exchange) -> Bool {
        let sending = CookieDelivery.Sending(
            url: exchange.request.url,
            method: "GET",
            at: exchange.startedAt,
            initiator: nil,
            agent: ""
        )
        return CookieDelivery.obstacle(for: setting, in: sending) == nil
    }
}
