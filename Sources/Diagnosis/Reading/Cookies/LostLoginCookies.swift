import Captures
import Flows
import OAuth

/// The cookies that an app set to recognise a login by, and that a refused callback came without.
///
/// What all cookie rules start from; each looks for its own obstacle among them.
struct LostLoginCookies {
    struct Lost {
        var setting: CookieDelivery.Setting
        /// What keeps a browser from sending it; nil where nothing does.
        var obstacle: CookieDelivery.Obstacle?
        /// What came back in its place.
        var overwritten: OverwrittenCookie?
    }

    /// What was read of a flow, once for all rules.
    struct Reading: Sendable {
        var found: [LostLoginCookies]
        /// Why some callback could not be judged.
        var reason: String?
    }

    var callback: RejectedCallback
    /// What should have brought them: the callback, or the request by which its page handed the code on.
    var carrier: Int { callback.place }
    /// Whether it was the provider that brought the answer by POST: a page of it (`form_post`), or a redirect that sent its form on.
    var isPostedByProvider: Bool {
        sending.method == "POST" && (callback.response.mode == .formPost || form != nil)
    }
    /// The provider's form that came along with the answer.
    private(set) var form: SentOnForm?
    /// What the callback answers.
    var request: AuthorizationRequest
    var sending: CookieDelivery.Sending
    var lost: [Lost]
    /// The names of the cookies that the callback does carry.
    var sent: [String]
    /// Whether another cookie of the same login came back.
    var isAnyBack: Bool
    /// Whether the app brought the code to the token endpoint all the same, without the verifier, which it keeps with the session.
    private(set) var isWithoutVerifier = false
    /// Whether one of those may be what the app recognises the login by: a language or a theme is not.
    private let isKnownByAnother: Bool

    static func of(_ flow: Flow) -> Reading { flow.derived.value { read(flow) } }

    private static func read(_ flow: Flow) -> Reading {
        var reading = Reading(found: [], reason: nil)
        guard !flow.surroundings.isSanitized else {
            reading.reason = Gap.strippedCookies
            return reading
        }
        let begun = Dictionary(
            flow.loginAttempts.lazy.compactMap { attempt in
                attempt.response?.callback.map { ($0, attempt.request) }
            },
            uniquingKeysWith: { first, _ in first }
        )
        let requests = flow.authorizationRequests
        for callback in RejectedCallback.all(in: flow) {
            let isRedeemed = callback.isRedeemed(in: flow)
            let isWithoutVerifier = isRedeemed && lacksVerifier(callback, in: flow)
            guard !isRedeemed || isWithoutVerifier || mayLackSession(callback, in: flow),
                !isOfService(callback, flow)
            else { continue }
            guard
                let request = begun[callback.exchange].flatMap(\.self)
                    ?? last(of: requests, before: callback, in: flow)
            else {
                reading.reason = "the start of the login is not in the capture"
                continue
            }
            let host = flow.capture[callback.exchange].request.url.host
            let settings = LoginCookies.set(for: request, callback: callback, in: flow)
                // What another host set is no session of an app that goes on without it.
                .filter { !isRedeemed || $0.url.host == host }
            guard !settings.isEmpty else { continue }
            guard !flow.surroundings.isSanitized(at: callback.place) else {
                reading.reason = Gap.strippedCookies
                continue
            }
            guard mayTellCookies(callback, isRedeemed, in: flow) else {
                reading.reason = Gap.noCookies
                continue
            }
            if var lost = LostLoginCookies(of: settings, callback, request, in: flow) {
                lost.isWithoutVerifier = isWithoutVerifier
                reading.found.append(lost)
            }
        }
        return reading
    }

    /// Whether a cookie that is not there was not sent; an app that exchanged the code need not have missed what no request of the
    /// file has.
    private static func mayTellCookies(_ callback: RejectedCallback, _ isRedeemed: Bool, in flow: Flow)
        -> Bool
    {
        isRedeemed
            ? flow.surroundings.areCookiesRecorded(at: callback.place)
            : !flow.surroundings.mayLackCookies(at: callback.place)
    }

    /// Whether one address takes the answers for all apps behind it, and finds the login by its state: Google's Identity-Aware Proxy.
    private static func isOfService(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        flow.capture[callback.exchange].request.url.host == "iap.googleapis.com"
    }

    /// Where the app sent the browser off: not a reload of that page, nor what the provider made of the request.
    ///
    /// `requests`: those of the flow, in order of time.
    private static func last(
        of requests: [AuthorizationRequest],
        before callback: RejectedCallback,
        in flow: Flow
    ) -> AuthorizationRequest? {
        let time = flow.capture[callback.exchange].startedAt
        return requests[..<requests.partitionPoint { flow.capture[$0.exchange].startedAt > time }].last
    }

    /// Nil where the callback came with all of them, as they were set.
    private init?(
        of settings: [CookieDelivery.Setting],
        _ callback: RejectedCallback,
        _ request: AuthorizationRequest,
        in flow: Flow
    ) {
        let sent = flow.capture[callback.place].request.cookies.map(\.name)
        let names = Set(sent)
        let sending = LoginCookies.sending(of: callback, for: request, in: flow)
        let lost = settings.compactMap { setting -> Lost? in
            guard names.contains(setting.cookie.name) else {
                return Lost(
                    setting: setting,
                    obstacle: CookieDelivery.obstacle(for: setting, in: sending)
                )
            }
            return OverwrittenCookie.of(setting, at: callback.place, in: flow).map {
                Lost(setting: setting, overwritten: $0)
            }
        }
        guard !lost.isEmpty else { return nil }
        self.callback = callback
        self.request = request
        self.sending = sending
        self.lost = lost
        self.sent = sent
        form = SentOnForm(callback.response, in: flow)
        isAnyBack = lost.count < settings.count
        let gone = Set(lost.map(\.setting.cookie.name))
        isKnownByAnother = settings.contains { setting in
            !gone.contains(setting.cookie.name)
                && (Self.isLongEnough(setting.cookie) || Self.isNamedForLogins(setting.cookie))
        }
    }

    /// Whether an app that exchanged the code may have missed its session all the same: it did not ask for the login's verifier,
    /// and nothing else stopped it.
    private static func mayLackSession(_ callback: RejectedCallback, in flow: Flow) -> Bool {
        let own = flow.receivedCodes.exchanges(of: callback.response)
        guard flow.capture[callback.exchange].request.cookies.isEmpty,
            own.contains(where: \.answer.isSuccess), own.allSatisfy({ $0.codeVerifier == nil }),
            !callback.hasFaultyToken(in: flow)
        else { return false }
        let answer = flow.capture[callback.place]
        let first = flow.exchanges.partitionPoint { flow.capture[$0].startedAt >= answer.startedAt }
        let meanwhile = flow.exchanges[first...].prefix { flow.capture[$0].startedAt <= answer.endedAt }
        return !meanwhile.contains { index in
            let call = flow.capture[index]
            return index != callback.place && index != callback.exchange
                && call.response.map { $0.status >= 400 } ?? (call.failure != nil)
        }
    }

    /// Whether an app to which no cookie came exchanged the code without the login's verifier, and was refused for it.
    private static func lacksVerifier(_ callback: RejectedCallback, in flow: Flow) -> Bool {
        flow.capture[callback.exchange].request.cookies.isEmpty
            && flow.receivedCodes.exchanges(of: callback.response).contains {
                MissingVerifier.isOf($0, in: flow)
            }
    }

    // MARK: - Verdicts

    /// The verdict of a rule that looks for one obstacle.
    ///
    /// - Parameters:
    ///   - flow: the flow.
    ///   - note: what is wrong with a lost cookie; nil where it is not this rule's.
    ///   - besides: further evidence, of the first cookie that is.
    ///   - words: what the finding says of the login in place of the rule's own.
    /// - Returns: abstains where cookies or the start of the login are not in the capture.
    static func verdict(
        on flow: Flow,
        note: (Lost, LostLoginCookies) -> String?,
        besides: (Lost, LostLoginCookies) -> [Evidence] = { _, _ in [] },
        words: (LostLoginCookies) -> Violation.Words? = { _ in nil }
    ) -> Verdict {
        let reading = of(flow)
        for login in reading.found {
            let faults = login.lost.filter { login.mayBeMissed($0, in: flow) }
                .compactMap { lost in note(lost, login).map { (lost, $0) } }
            guard let first = faults.first else { continue }
            let evidence =
                faults.prefix(6).map { Self.evidence($0.0.setting, note: $0.1) }
                + besides(first.0, login) + [login.cookieEvidence, login.callback.evidence(in: flow)]
            return .violated(
                Violation(evidence, saying: words(login), exchange: first.0.setting.exchange)
            )
        }
        return reading.reason.map { .abstains($0) } ?? .holds
    }

    /// Whether the app may have refused the callback for want of this cookie.
    ///
    /// Where another of the same redirect came back, the language, a message or a form's token may have stayed away without
    /// harm: then the cookie has to be one of the login, by its name, by what it holds or for want of another, or the app has to speak of it.
    private func mayBeMissed(_ lost: Lost, in flow: Flow) -> Bool {
        guard isAnyBack, lost.overwritten == nil else { return true }
        let cookie = lost.setting.cookie
        if Self.isLongEnough(cookie), !isKnownByAnother || Self.isNamedForLogins(cookie) { return true }
        let values = ["state", "nonce"].compactMap { request.parameters[$0] }.filter { $0.utf8.count >= 8 }
        if values.contains(where: cookie.value.containsBytes) { return true }
        let page = (flow.capture[callback.place].response?.body?.text ?? "").prefix(1 << 16).lowercased()
        return Self.spokenOf.contains(where: page.containsBytes)
    }

    private static func isLongEnough(_ cookie: SetCookie) -> Bool { cookie.value.utf8.count >= 12 }

    private static func isNamedForLogins(_ cookie: SetCookie) -> Bool {
        let name = cookie.name.asciiLowercased()
        return loginWords.contains(where: name.containsBytes)
    }

    /// What cookies are called that a login is recognised by.
    private static let loginWords = [
        "nonce", "correlation", "state", "pkce", "verifier", "oidc", "oauth", "openid", "transaction",
        "login", "auth0",
        "msal", "session",
    ]
    /// How apps word it, in lower case, that they do not recognise a login.
    private static let spokenOf = ["cookie", "correlation", "state", "session", "csrf", "nonce"]

    /// A cookie as it was set, with its attributes.
    static func evidence(_ setting: CookieDelivery.Setting, note: String?) -> Evidence {
        let cookie = setting.cookie
        var parts = ["\(cookie.name)=\(Masking.masked(cookie.value))"]
        parts += cookie.domain.map { ["Domain=\($0)"] } ?? []
        parts += cookie.path.map { ["Path=\($0)"] } ?? []
        parts += cookie.maxAge.map { ["Max-Age=\($0)"] } ?? cookie.expires.map { ["Expires=\($0)"] } ?? []
        if cookie.isSecure { parts.append("Secure") }
        parts += cookie.sameSite.map { ["SameSite=\($0)"] } ?? []
        return Evidence(
            place: Place(exchange: setting.exchange, part: .responseHeader, name: "Set-Cookie"),
            value: parts.joined(separator: "; "),
            note: note
        )
    }

    /// The cookies of the callback, by name.
    var cookieEvidence: Evidence {
        Evidence(
            place: Place(exchange: carrier, part: .requestHeader, name: "Cookie"),
            value: sent.isEmpty ? "none" : Set(sent).sorted().prefix(20).joined(separator: ", "),
            note: carrier == callback.exchange
                ? "cookies sent with the callback" : "cookies sent with the code, by the callback's page"
        )
    }
}
