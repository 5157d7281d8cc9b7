import Captures
import Flows
import OAuth

/// What became of the cookies by which an app knows a login, where its refused callback is not for want of one that the browser
/// had: they came back as they were, or the app's own server had them.
struct CookieCourse {
    var evidence: Evidence
    var explanation: String
    var fix: String

    /// Nil where the capture shows nothing of the kind.
    init?(of callback: RejectedCallback, in flow: Flow) {
        if let kept = Self.ofServer(callback, flow) {
            evidence = kept
            explanation = Self.keptByServer
            fix = Self.keptByServerFix
        } else if let beside = Self.besideAnother(to: callback, flow) {
            evidence = beside
            explanation = Self.twice
            fix = Self.twiceFix
        } else if let back = Self.cameBack(to: callback, flow) {
            evidence = back
            explanation = Self.unread
            fix = Self.isLate(back, callback, flow) ? Self.lateFix : Self.unreadFix
        } else {
            return nil
        }
    }

    /// What the app's server was given, and the browser was not: the cookies of an answer to the server's own request that holds this
    /// login's `state`, made while it worked on the answer that sent the browser off.
    private static func ofServer(_ callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request, let state = request.state, state.utf8.count >= 8,
            let beginning = flow.surroundings.redirectedFrom[request.exchange]
        else { return nil }
        let begun = flow.capture[beginning]
        guard begun.response?.setCookies.isEmpty ?? false else { return nil }
        let position = flow.surroundings.position
        let sent = Set(flow.capture[callback.place].request.cookies.map(\.name))
        return flow.surroundings.order[(position[beginning] + 1)...].prefix(mostMeanwhile).lazy
            .prefix { flow.capture[$0].startedAt <= begun.endedAt }
            .compactMap { index -> Evidence? in
                let asked = flow.capture[index]
                guard asked.request.url.host == begun.request.url.host, asked.endedAt <= begun.endedAt,
                    asked.request.userAgent != begun.request.userAgent,
                    let answer = asked.response,
                    ((answer.location ?? "") + (answer.body?.text ?? "")).containsBytes(state)
                else { return nil }
                let names = answer.setCookies.filter { !$0.isDeletion(at: asked.endedAt) }.map(\.name)
                guard !names.isEmpty, sent.isDisjoint(with: names) else { return nil }
                return Evidence(
                    place: Place(exchange: index, part: .responseHeader, name: "Set-Cookie"),
                    value: names.prefix(6).joined(separator: ", "),
                    note: "given to the app's own server, and not to the browser"
                )
            }.first
    }

    /// A cookie of this login that came back together with another one of its name: a browser keeps those apart whose Domain or Path is
    /// another, and sends both (RFC 6265, sections 5.3 and 5.4).
    private static func besideAnother(to callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request, !callback.isRedeemed(in: flow) else { return nil }
        let sent = flow.capture[callback.place].request.cookies
        return LoginCookies.set(for: request, callback: callback, in: flow).lazy
            .compactMap { setting -> Evidence? in
                let values = sent.filter { $0.name == setting.cookie.name }.map(\.value)
                guard values.contains(setting.cookie.value), Set(values).count > 1 else { return nil }
                let isFirst = values.first == setting.cookie.value
                return Evidence(
                    place: Place(exchange: callback.place, part: .requestHeader, name: "Cookie"),
                    value: "\(setting.cookie.name), \(values.count) times",
                    note: "that of this login stands \(isFirst ? "first" : "behind another's value")"
                )
            }.first
    }

    /// A cookie that the app set where it sent the browser to the provider and that came back with the same value.
    private static func cameBack(to callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request, !callback.isRedeemed(in: flow) else { return nil }
        let sent = flow.capture[callback.place].request.cookies
        let settings = LoginCookies.set(for: request, callback: callback, in: flow)
        guard !settings.isEmpty,
            settings.allSatisfy({ setting in
                sent.contains { $0.name == setting.cookie.name && $0.value == setting.cookie.value }
            }), let last = settings.last
        else { return nil }
        let age = (flow.capture[callback.place].startedAt - last.at).components.seconds
        return Evidence(
            place: Place(exchange: last.exchange, part: .responseHeader, name: "Set-Cookie"),
            value: "\(last.cookie.name)=\(Masking.masked(last.cookie.value))",
            note: "came back with the callback, \(age) s later, with the same value"
        )
    }

    /// Whether the sign-in took longer than some apps wait for one.
    private static func isLate(_ back: Evidence, _ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard let beginning = back.place.exchange else { return false }
        return flow.capture[callback.place].startedAt - flow.capture[beginning].endedAt >= .seconds(300)
    }

    /// Requests that a server makes while it works on one.
    private static let mostMeanwhile = 200

    // MARK: - Words

    private static let keptByServer = """
        The app's server asked itself for the login while it made the page, and the cookie to know the login by came with that answer. It sent the \
        browser to the provider without passing the cookie on, so the callback came without it, and the app refused it.
        """
    private static let keptByServerFix = """
        Pass the Set-Cookie fields of that answer on to the browser, or do not begin logins while a page is made on the server: send the browser to the \
        app's own address to sign in at, and let that one set its cookies and send it to the provider.
        """
    private static let twice = """
        The callback brought the cookie by which the app knows the login, and with it another one of the same name, which was set before \
        with another Domain or Path. A browser keeps such cookies apart and sends both. Servers read one of them, some the first and some \
        the last; one that reads the other does not know the login.
        """
    private static let twiceFix = """
        Delete the cookies of that name for the host and the domains above it, and sign in again. Then have whatever sets it do so with \
        one Domain and Path throughout: after a change of these take a new name for it, or have the app delete the old one. Two programs \
        below one domain need two names.
        """
    private static let unread = """
        The provider's answer reached the redirect URI, and the app answered with an error. The browser had no part in that: the cookie that the app had set to \
        know the login by came back as it was. The app could not read it, did not know any more what it stands for, or failed at what came after: its own \
        request for the tokens, or a check of what it got.
        """
    private static let unreadFix = """
        Where several instances serve the app, let them share the keys that cookies and state are sealed with (ASP.NET: Data Protection) and the store of \
        the sessions. Compare the time that the sign-in took with the app's limit for it (mod_auth_openidc: OIDCStateTimeout, five minutes). Else the app's \
        own log for this time has the answer, also to how its server fared at the token endpoint.
        """
    private static let lateFix = """
        Sign in once more, without delay. Where that goes well, the sign-in took longer than the app allows: raise its limit (mod_auth_openidc: \
        OIDCStateTimeout, five minutes; ASP.NET: RemoteAuthenticationTimeout, a quarter of an hour). Else the keys that cookies and state are sealed with, and \
        the store of the sessions, may not be shared among the instances of the app; its own log for this time has the answer.
        """
}
