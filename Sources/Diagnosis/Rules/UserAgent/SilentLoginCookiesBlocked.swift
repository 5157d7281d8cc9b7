import Captures
import Flows
import OAuth

/// A sign-in in a hidden frame was refused for want of a session, though the browser has one: the provider's
/// cookies are not sent into frames of other sites.
struct SilentLoginCookiesBlocked: Rule {
    static let info = RuleInfo(
        id: "silent-login-cookies-blocked",
        title: "The hidden frame got no provider cookies, though the browser has a session",
        severity: .error,
        explanation: """
            The user has signed in at the provider in this very browser, but the request in the hidden frame carried none of the provider's \
            cookies, so the provider took it for a stranger's. Browsers block cookies in frames of another site.
            """,
        fix: """
            Renew with refresh tokens instead of a frame, host app and provider under one site, or send the whole page to the provider and \
            back.
            """,
        badExample: """
            top level   GET /authorize?…               Cookie: SESSION=… → 302 …?code=…
            frame       GET /authorize?…&prompt=none   no Cookie → 302 …?error=login_required
            """,
        goodExample: """
            top level   GET /authorize?…               Cookie: SESSION=… → 302 …?code=…
            frame       GET /authorize?…&prompt=none   Cookie: SESSION=… → 302 …?code=…
            """,
        specifications: [
            .openIDConnectCore("3.1.2.6", "AuthError")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts {
            guard let request = attempt.request, request.isSilent,
                let answer = attempt.silentRefusal(in: flow),
                let frame = FramedRequest.evidence(of: request.exchange, in: flow)
            else { continue }
            guard !flow.surroundings.isSanitized(at: request.exchange) else {
                return .abstains(Gap.strippedCookies)
            }
            guard !flow.surroundings.mayLackCookies(at: request.exchange) else {
                return .abstains(Gap.noCookies)
            }
            guard flow.capture[request.exchange].request.cookies.isEmpty,
                let session = session(before: request, flow)
            else { continue }
            return .violated(
                Violation(
                    [
                        session,
                        Evidence(
                            place: Place(exchange: request.exchange, part: .requestHeader, name: "Cookie"),
                            value: "none",
                            note: "in the frame"
                        ),
                        frame,
                        answer,
                    ],
                    exchange: request.exchange
                )
            )
        }
        return .holds
    }

    /// A session that ForgeRock's SDK has just got for its page, by script.
    private func scriptedSession(before request: AuthorizationRequest, at host: String, _ flow: Flow)
        -> Evidence?
    {
        let frame = flow.capture[request.exchange]
        // From a page of its own site a frame has the provider's cookies.
        guard frame.request.headers.first("sec-fetch-site").map({ $0 == "cross-site" }) ?? true else {
            return nil
        }
        let before = flow.exchanges(before: request.exchange, within: .seconds(600)).filter {
            flow.capture[$0].request.url.host == host
        }
        guard let place = before.firstIndex(where: { ForgeRockStep.isOne(flow.capture[$0]) }),
            let setting = ForgeRockSignIn.cookie(setBy: before[place], in: flow.capture),
            !before[..<place].contains(where: { ForgeRockSignIn.isLogout($0, of: setting, in: flow) })
        else { return nil }
        return CookieDelivery.obstacle(for: setting, in: CookieDelivery.Sending(of: frame)) == nil
            ? LostLoginCookies.evidence(setting, note: "set at the sign-in, to the page's script") : nil
    }

    /// The provider's session cookie, sent or set in the browser's own window before.
    private func session(before request: AuthorizationRequest, _ flow: Flow) -> Evidence? {
        guard let host = request.endpoint.host else { return nil }
        let made = ProviderSession.all(at: host, before: request.exchange, lasting: true, in: flow)
            .first { FramedRequest.evidence(of: $0.delivered, in: flow) == nil }
        if let made, !made.isEnded(before: request.exchange, in: flow),
            !CookieDelivery.isExpired(made.cookie, at: flow.capture[request.exchange].startedAt)
        {
            return LostLoginCookies.evidence(made.cookie, note: "set at the sign-in")
        }
        guard made == nil else { return nil }
        if let signedIn = scriptedSession(before: request, at: host, flow) { return signedIn }
        // A session that is older than the capture shows in what is sent; by whatever name, where a login was answered for it.
        let answered = Set(
            flow.surroundings.responses.compactMap { $0.error == nil ? $0.deliveredBy : nil }
        )
        for index in flow.surroundings.withoutAssets(before: request.exchange).reversed().prefix(500)
        where flow.capture[index].request.url.host == host {
            if case .endSession = flow.surroundings.messages[index] { return nil }
            let sent = flow.capture[index].request.cookies.map(\.name)
            let names =
                answered.contains(index)
                ? sent.filter { !ProviderSession.isOfTheWay($0) }
                : sent.filter(ProviderSession.names.contains)
            let gone = flow.capture[index].response?.setCookies.contains {
                names.contains($0.name) && $0.isDeletion(at: flow.capture[index].endedAt)
            }
            if gone ?? false { return nil }
            guard !names.isEmpty, FramedRequest.evidence(of: index, in: flow) == nil else { continue }
            return Evidence(
                place: Place(exchange: index, part: .requestHeader, name: "Cookie"),
                value: names.prefix(6).joined(separator: ", "),
                note: "sent before, outside of frames"
            )
        }
        return nil
    }
}
