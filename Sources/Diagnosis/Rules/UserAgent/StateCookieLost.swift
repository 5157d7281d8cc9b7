import Captures
import Flows
import OAuth

/// The cookie with which the app remembers the login did not come back, and the app refused the answer.
///
/// Fires where nothing about host, path, scheme or SameSite accounts for it: the cookie ran out, was too
/// large, broke the rules of its prefix, was deleted or overwritten meanwhile, or the link was opened in another browser.
struct StateCookieLost: Rule {
    static let info = RuleInfo(
        id: "state-cookie-lost",
        title: "The app's login cookie did not come back",
        severity: .error,
        explanation: """
            Before it sent the browser to the provider the app set a cookie to recognise the login by. The callback does not carry it, or \
            carries another's value under its name, so the app cannot tell whose answer it is and refused it.
            """,
        fix: """
            Look at the cookie's lifetime against the time people need to sign in, at its size (browsers drop more than 4096 bytes), at its \
            prefix (__Host- wants Secure, Path=/ and no Domain; __Secure- wants Secure), and whether the login was finished in another browser. \
            Overwritten by a program at another port of the host (localhost:8080 and localhost:9000): give one of them another cookie name, or \
            reach it as 127.0.0.1. Overwritten by a second login: name the cookie after the state.
            """,
        badExample: """
            302 to the provider, Set-Cookie: login=…; Path=/; Max-Age=60
            two minutes at the sign-in page
            GET /callback?code=…&state=…   without a Cookie header → 400
            """,
        goodExample: """
            302 to the provider, Set-Cookie: login=…; Path=/; Max-Age=900; Secure; SameSite=Lax
            two minutes at the sign-in page
            GET /callback?code=…&state=…   Cookie: login=… → 302 /
            """,
        specifications: [.rfc(6265, "5.3"), SpecificationReference(text: "RFC 6265bis §4.1.3", url: nil)]
    )

    func verdict(on flow: Flow) -> Verdict {
        let reading = LostLoginCookies.of(flow)
        for login in reading.found {
            let isOverwritten = login.lost.contains { $0.overwritten != nil }
            guard !login.isAnyBack || isOverwritten,
                // The cookie rules before this one say it better.
                !login.lost.contains(where: { $0.obstacle.map { isToldBefore($0, login) } ?? false })
            else { continue }
            return .violated(violation(login, flow))
        }
        if let violation = doubleSubmitted(flow) { return .violated(violation) }
        return reading.reason.map { .abstains($0) } ?? .holds
    }

    private func violation(_ login: LostLoginCookies, _ flow: Flow) -> Violation {
        let evidence = evidence(login, flow)
        if isKeptByApp(login, flow) {
            return Violation(
                evidence,
                explanation: Self.keptByApp,
                fix: Self.keptByAppFix,
                exchange: login.carrier
            )
        }
        if let frame = foreignFrame(login, flow) {
            return Violation(
                evidence + [frame],
                explanation: Self.inFrame,
                fix: Self.inFrameFix,
                title: "The app's login cookie did not come back into a frame of another site",
                exchange: login.carrier
            )
        }
        return Violation(
            evidence,
            explanation: login.isWithoutVerifier ? Self.exchanged : nil,
            fix: login.lost.first.flatMap(Self.fix(of:)),
            exchange: login.carrier
        )
    }

    private static let exchanged = """
        Before it sent the browser to the provider the app set a cookie to recognise the login by, and kept the code_verifier in the session behind it. The callback came \
        without the cookie. The app exchanged the code all the same, without a look at whose answer it was, had no verifier to send, and was refused.
        """

    /// What shows that the login began in a frame that a page of another site has, where nothing else keeps the cookie.
    private func foreignFrame(_ login: LostLoginCookies, _ flow: Flow) -> Evidence? {
        guard let lost = login.lost.first, lost.obstacle == nil, lost.overwritten == nil,
            !lost.setting.cookie.otherAttributes.contains(where: { $0.asciiLowercased() == "partitioned" }),
            FramedRequest.evidence(of: login.carrier, in: flow) != nil
        else { return nil }
        return FramedRequest.evidenceOfOtherSite(of: lost.setting.exchange, in: flow)
    }

    private static let inFrame = """
        The app is shown in a frame on a page of another site, as learning platforms show their tools. There its cookies are a third party's, which Safari and \
        Firefox keep apart or drop, and Chrome where it is told to, whatever SameSite says: the app set its cookie to recognise the login by, the browser did not \
        send it with the callback, and the app refused the answer.
        """
    private static let inFrameFix = """
        Set the cookie with Partitioned besides SameSite=None and Secure, which lets browsers keep one for each page that shows the app. Where that does not do, \
        open the app in a window of its own before the login begins; a tool of LTI 1.3 can keep the state at the platform instead (LTI Client Side postMessages).
        """

    /// Whether the cookie went to the HTTP client of an app on a device, and a browser came to the callback.
    private func isKeptByApp(_ login: LostLoginCookies, _ flow: Flow) -> Bool {
        guard let lost = login.lost.first, lost.obstacle == nil, lost.overwritten == nil else { return false }
        let agents = [lost.setting.exchange, login.carrier].map {
            flow.capture[$0].request.userAgent ?? ""
        }
        return UserAgentName.isNativeApp(agents[0]) && !UserAgentName.isNativeApp(agents[1])
            && UserAgentName.isOnDevice(agents[1])
    }

    private static let keptByApp = """
        The app asked its server for the login with its own HTTP client, and the cookie to recognise the login by went there. The sign-in took place \
        in a browser, which shares no cookies with that client, also where the app shows it (ASWebAuthenticationSession, Custom Tabs): so the \
        callback came without the cookie, and the server refused it.
        """
    private static let keptByAppFix = """
        Have the browser itself open the address of the server that begins the login, so that the cookie is set where it is needed. Or let the server \
        find the login by its state instead, and hand the app a reference of its own to collect the session with.
        """

    /// What to change where the capture shows what became of the cookie; nil: as the rule's info says.
    private static func fix(of lost: LostLoginCookies.Lost) -> String? {
        switch lost.overwritten?.reason {
        case .otherOrigin:
            return """
                Give one of the two programs another cookie name, or reach one under another host name (127.0.0.1 for localhost): cookies are not \
                kept apart by port.
                """
        case .otherLogin:
            return "Name the cookie after the state, so that each login of a browser keeps its own."
        case nil: break
        }
        return switch lost.obstacle {
        case .expired:
            """
            Give the cookie more time than people need to sign in: ten minutes or more, or neither Max-Age nor Expires, which keeps it \
            until the browser is closed.
            """
        case .foreignDomain: "Leave Domain out, or set it to the app's own host or a parent domain of it."
        case .tooLarge:
            "Keep the cookie below 4096 bytes, name and value together: hold the rest on the server."
        case .prefix:
            "Set __Host- cookies with Secure, Path=/ and without Domain, and __Secure- cookies with Secure; or drop the prefix."
        default: nil
        }
    }

    /// A token that was handed over without redirects comes with a field that a cookie of the same name has to bear out.
    private func doubleSubmitted(_ flow: Flow) -> Violation? {
        let rejected = RejectedCallback.all(in: flow)
        for handed in HandedCredential.all(in: flow) {
            guard let lost = handed.lostCookie(in: flow),
                let callback = rejected.first(where: { $0.exchange == handed.response?.callback }),
                flow.surroundings.areCookiesRecorded(at: callback.exchange)
            else { continue }
            let cookie = Evidence(
                place: Place(exchange: callback.exchange, part: .requestHeader, name: "Cookie"),
                value: lost.sent.map { "\(HandedCredential.cookieName)=\(Masking.masked($0))" }
                    ?? CookieNames.shown(flow.capture[callback.exchange].request.cookies.map(\.name)),
                note: lost.sent == nil
                    ? "no \(HandedCredential.cookieName), which has to be the same as the field"
                    : "another than the field"
            )
            return Violation(
                [Evidence(lost.field), cookie, callback.evidence(in: flow)],
                exchange: callback.exchange
            )
        }
        return nil
    }

    /// Conditions of the cookie rules that stand above this one.
    private static let others: Set<CookieDelivery.Obstacle> = [
        .laxPost, .strict, .sameSiteNoneInsecure, .secureOverHTTP, .otherHost, .path,
    ]

    private func isToldBefore(_ obstacle: CookieDelivery.Obstacle, _ login: LostLoginCookies) -> Bool {
        let isOfPost = obstacle == .laxPost || obstacle == .strict
        guard isOfPost, login.sending.method == "POST" else { return Self.others.contains(obstacle) }
        return login.isPostedByProvider
    }

    private func evidence(_ login: LostLoginCookies, _ flow: Flow) -> [Evidence] {
        let deletions = login.lost.prefix(6).map {
            $0.overwritten == nil ? deletion(of: $0.setting, before: login.carrier, flow) : nil
        }
        var evidence = zip(login.lost, deletions).map { lost, deletion in
            lost.overwritten.map { LostLoginCookies.evidence(lost.setting, note: $0.note) }
                ?? self.evidence(lost.setting, lost.obstacle, deletedBy: deletion, login.sending)
        }
        evidence += login.lost.prefix(6).compactMap(\.overwritten).map {
            LostLoginCookies.evidence($0.setting, note: "sent back instead")
        }
        evidence += zip(login.lost, deletions).compactMap { lost, deletion in
            deletion.flatMap { replaced(lost.setting, beforeDeletion: $0, flow) }
        }
        var cookies = login.cookieEvidence
        if let first = login.lost.first { cookies.note = note(first.setting, login.sending, flow) }
        evidence.append(cookies)
        evidence.append(login.callback.evidence(in: flow))
        return evidence
    }

    // MARK: - Evidence

    private func evidence(
        _ setting: CookieDelivery.Setting,
        _ obstacle: CookieDelivery.Obstacle?,
        deletedBy deletion: Int?,
        _ sending: CookieDelivery.Sending
    ) -> Evidence {
        let age = sending.at.seconds - setting.at.seconds
        let lifetime =
            setting.cookie.maxAge.map { "Max-Age \($0)" } ?? setting.cookie.expires.map { "Expires \($0)" }
        var notes = [lifetime, "\(age) s before the callback"].compactMap { $0 }
        switch obstacle {
        case .expired: notes.append("run out by then")
        case .prefix: notes.append("dropped: it breaks the rules of its prefix")
        case .tooLarge:
            notes.append("dropped: \(setting.cookie.name.utf8.count + setting.cookie.value.utf8.count) bytes")
        case .foreignDomain: notes.append("dropped: Domain \(setting.cookie.domain ?? "") is not the host's")
        default: break
        }
        if let deletion { notes.append("deleted by exchange \(deletion)") }
        return Evidence(
            place: Place(exchange: setting.exchange, part: .responseHeader, name: "Set-Cookie"),
            value: "\(setting.cookie.name)=\(Masking.masked(setting.cookie.value))",
            note: notes.joined(separator: "; ")
        )
    }

    /// The cookie of another login under the same name that was there when an exchange deleted it.
    private func replaced(
        _ lost: CookieDelivery.Setting,
        beforeDeletion deletion: Int,
        _ flow: Flow
    ) -> Evidence? {
        guard let other = OverwrittenCookie.ofOtherLogin(replacing: lost, before: deletion, in: flow) else {
            return nil
        }
        let isItsEnd = flow.surroundings.responses.contains { $0.callback == deletion }
        return LostLoginCookies.evidence(
            other,
            note: "another login, begun in the same browser, took the cookie's place, and "
                + (isItsEnd ? "its end deleted it" : "exchange \(deletion) deleted it")
        )
    }

    /// The exchange that deleted the cookie between its setting and the callback.
    private func deletion(of setting: CookieDelivery.Setting, before callback: Int, _ flow: Flow) -> Int? {
        let span = flow.capture[callback].startedAt - setting.at
        return flow.exchanges(before: callback, within: span).first { index in
            let exchange = flow.capture[index]
            guard exchange.startedAt > setting.at, exchange.request.url.host == setting.url.host else {
                return false
            }
            return exchange.response?.setCookies.contains { cookie in
                cookie.name == setting.cookie.name && cookie.isDeletion(at: exchange.endedAt)
            } ?? false
        }
    }

    private func note(_ setting: CookieDelivery.Setting, _ sending: CookieDelivery.Sending, _ flow: Flow)
        -> String
    {
        let before = flow.capture[setting.exchange].request.userAgent ?? ""
        guard !before.isEmpty, !sending.agent.isEmpty, before != sending.agent else {
            return "cookies sent with the callback"
        }
        return "cookies sent with the callback, by another browser than the one that started the login"
    }
}
