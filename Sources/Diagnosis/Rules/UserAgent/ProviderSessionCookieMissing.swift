import Captures
import Flows
import OAuth

/// The provider's sign-in pages set a cookie to know the sign-in by, and the next step came without it; or without the form that was
/// sent.
struct ProviderSessionCookieMissing: Rule {
    static let info = RuleInfo(
        id: "provider-session-cookie-missing",
        title: "The provider's own login form lost its cookie",
        severity: .error,
        explanation: """
            The provider keeps a sign-in that is under way by a cookie of its own. The browser did not bring it with the next step, so the \
            provider did not know the sign-in any more and showed an error, or its first page again. The app has no part in it yet.
            """,
        fix: """
            Usual reasons: the pages run in a frame where cookies of other sites are blocked, the provider sets Secure or SameSite=None \
            cookies over http, the page was left open too long or opened in two tabs, or an in-app browser was closed in between.
            """,
        badExample: """
            GET /authorize?… → 200   Set-Cookie: AUTH_SESSION=…
            POST /sign-in   no Cookie → 400 Cookie not found
            """,
        goodExample: """
            GET /authorize?… → 200   Set-Cookie: AUTH_SESSION=…
            POST /sign-in   Cookie: AUTH_SESSION=… → 302 https://app.example/callback?code=…
            """,
        specifications: [.rfc(6265, "5.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let lost = LostForm.found(in: flow), !lost.isOfScheme {
            return .violated(lost.violation(in: flow))
        }
        guard !flow.surroundings.isSanitized else {
            return .abstains(Gap.strippedCookies)
        }
        return Verdict.firstViolation(among: flow.loginAttempts) { verdict(on: $0, flow) }
            .or(OtherCookie.overwritten(in: flow) ?? OtherCookie.misnamed(in: flow))
    }

    private func verdict(on attempt: LoginAttempt, _ flow: Flow) -> Verdict {
        guard let request = attempt.request, attempt.response.map({ $0.error != nil }) ?? true else {
            return .holds
        }
        let pages = ProviderPages.of(request, in: flow)
        return Verdict.firstViolation(
            among: pages.enumerated().dropFirst().prefix(50),
            telling: 1
        ) { place, page in
            guard
                let fault = refused(page, attempt, after: pages[..<place], flow)
                    ?? repeated(page, attempt, after: pages[..<place], flow)
                    ?? scripted(page, attempt, after: pages[..<place], flow)
            else { return .holds }
            guard !flow.surroundings.isSanitized(at: fault.step) else {
                return .abstains(Gap.strippedCookies)
            }
            guard
                !flow.surroundings.mayLackCookies(at: fault.step)
                    || fault.refusal.part != .responseStatus
            else { return .abstains(Gap.noCookies) }
            let sending = ExpectedCookies.sending(fault.step, flow)
            let isOutOfPath = fault.missing.allSatisfy {
                CookieDelivery.obstacle(for: $0, in: sending) == .path
            }
            return .violated(
                Violation(
                    evidence(fault.missing, fault.step, fault.refusal, flow),
                    fix: isOutOfPath ? Self.pathFix : nil,
                    exchange: page
                )
            )
        }
    }

    /// The step that came without the cookies, what became of it, and the cookies.
    private typealias Fault = (step: Int, refusal: Place, missing: [CookieDelivery.Setting])

    /// A step of the sign-in that came without its cookie and was refused.
    private func refused(_ page: Int, _ attempt: LoginAttempt, after pages: ArraySlice<Int>, _ flow: Flow)
        -> Fault?
    {
        guard let refusal = RefusedStep.place(page, attempt, flow) else { return nil }
        let missing = ExpectedCookies.missing(at: page, after: pages, flow)
        guard missing.isEmpty else { return (page, refusal, missing) }
        let other = refusal.part == .responseStatus ? [] : named(at: page, after: pages, flow)
        guard other.isEmpty else { return (page, refusal, other) }
        let outOfPath = outOfPath(at: page, after: pages, flow)
        return outOfPath.isEmpty ? nil : (page, refusal, outOfPath)
    }

    /// The cookies that stayed away from a step where others came: where the provider says that it misses what it knows the sign-in by,
    /// as Keycloak does of the one to begin anew with.
    private func named(at page: Int, after pages: ArraySlice<Int>, _ flow: Flow) -> [CookieDelivery.Setting] {
        let sent = Set(flow.capture[page].request.cookies.map(\.name))
        let sending = ExpectedCookies.sending(page, flow)
        return ExpectedCookies.all(at: page, after: pages, flow).filter { setting in
            // A language or a balancer's cookie is nothing to know anybody by, nor one that is there for a minute alone.
            !sent.contains(setting.cookie.name) && setting.cookie.value.utf8.count >= 8
                && !ProviderSession.isOfTheWay(setting.cookie.name)
                && CookieDelivery.obstacle(for: setting, in: sending) != .expired
        }
    }

    /// The cookies whose path kept them from a step that came with none, and that was refused for want of a session.
    private func outOfPath(at page: Int, after pages: ArraySlice<Int>, _ flow: Flow)
        -> [CookieDelivery.Setting]
    {
        guard flow.capture[page].request.cookies.isEmpty else { return [] }
        let words = PageText.words(of: flow.capture[page].response?.body).asciiLowercased()
        guard ["session", "cookie"].contains(where: words.containsBytes) else { return [] }
        return ExpectedCookies.all(at: page, after: pages, flow, besides: .path).filter {
            CookieDelivery.obstacle(for: $0, in: ExpectedCookies.sending(page, flow)) == .path
        }
    }

    private static let pathFix = """
        Let the provider set the cookie with a Path that covers where its form goes, / say: browsers send it to that path and what lies below alone \
        (RFC 6265, section 5.1.4).
        """

    /// The sign-in page that came again behind a form: behind one that was taken, and whose answer set a cookie that a browser
    /// does not keep, or behind a later one that came without the session.
    private func repeated(_ page: Int, _ attempt: LoginAttempt, after pages: ArraySlice<Int>, _ flow: Flow)
        -> Fault?
    {
        guard attempt.response == nil, flow.capture[page].response?.status == 200 else { return nil }
        let sources = Array(flow.surroundings.redirects(leadingTo: page))
        guard let last = sources.firstIndex(where: { flow.capture[$0].request.method == "POST" }) else {
            return nil
        }
        let (form, way) = (sources[last], sources[...last])
        let address = flow.capture[page].request.url.withoutQuery
        let first = pages.prefix { $0 != form }.last {
            flow.capture[$0].request.url.withoutQuery == address && flow.capture[$0].response?.status == 200
        }
        // A page that says what was wrong with the form has looked at it.
        guard let first, PageText.alert(of: flow.capture[page].response?.body) == nil else { return nil }
        let again = Place(exchange: page, part: .requestURL, name: "")
        guard flow.isCredentialPost(form) else {
            // A name may be asked for first, and the page come again for the password.
            guard flow.surroundings.areCookiesRecorded(at: form), flow.capture[form].request.cookies.isEmpty,
                Self.fields(of: first, flow) == Self.fields(of: page, flow)
            else { return nil }
            let sending = ExpectedCookies.sending(form, flow)
            let missing = ExpectedCookies.missing(at: form, after: pages.prefix { $0 != form }, flow).filter {
                CookieDelivery.obstacle(for: $0, in: sending) != .expired
            }
            return missing.isEmpty ? nil : (form, again, missing)
        }
        let sending = ExpectedCookies.sending(page, flow)
        let sent = Set(flow.capture[page].request.cookies.map(\.name))
        let missing = ExpectedCookies.all(at: page, after: way.reversed()[...], flow).filter {
            !sent.contains($0.cookie.name) && CookieDelivery.obstacle(for: $0, in: sending) != nil
        }
        return missing.isEmpty ? nil : (page, again, missing)
    }

    /// The authorization endpoint that was loaded again without the session that ForgeRock had given to the sign-in's script, and
    /// sent the browser to sign in once more.
    private func scripted(_ page: Int, _ attempt: LoginAttempt, after pages: ArraySlice<Int>, _ flow: Flow)
        -> Fault?
    {
        let exchange = flow.capture[page]
        guard attempt.response == nil, (300..<400).contains(exchange.response?.status ?? 0),
            case .authorizationRequest = flow.surroundings.messages[page],
            let step = pages.last(where: { ForgeRockStep.isOne(flow.capture[$0]) }),
            let session = ForgeRockSignIn.cookie(setBy: step, in: flow.capture),
            !exchange.request.cookies.contains(where: { $0.name == session.cookie.name }),
            CookieDelivery.obstacle(for: session, in: ExpectedCookies.sending(page, flow)) != nil
        else { return nil }
        return (page, Place(exchange: page, part: .responseLocation, name: ""), [session])
    }

    /// What the forms of a page ask for.
    private static func fields(of page: Int, _ flow: Flow) -> Set<String> {
        guard let body = flow.capture[page].response?.body, body.isPage, (body.size ?? 0) < 1 << 20,
            let bytes = body.bytes
        else { return [] }
        return Set(HTMLForm.all(in: bytes).flatMap { $0.fields.map(\.name) })
    }

    private func note(_ setting: CookieDelivery.Setting, _ page: Int, _ flow: Flow) -> String {
        switch CookieDelivery.obstacle(for: setting, in: ExpectedCookies.sending(page, flow)) {
        case .sameSiteNoneInsecure: "did not come back: browsers keep SameSite=None only with Secure"
        case .secureOverHTTP: "did not come back: Secure, and the page is on plain http"
        case .expired: "did not come back: run out by then"
        case .foreignDomain: "did not come back: its Domain is not that of the host that set it"
        case .otherHost: "did not come back: it is for another host"
        case .path: "did not come back: its Path is another"
        default: "did not come back"
        }
    }

    private func evidence(
        _ missing: [CookieDelivery.Setting],
        _ page: Int,
        _ refusal: Place,
        _ flow: Flow
    ) -> [Evidence] {
        let exchange = flow.capture[page]
        return missing.prefix(4).map { LostLoginCookies.evidence($0, note: note($0, page, flow)) } + [
            Evidence(
                place: Place(exchange: page, part: .requestHeader, name: "Cookie"),
                value: CookieNames.shown(exchange.request.cookies.map(\.name))
            ),
            RefusedStep.evidence(at: refusal, flow),
        ]
    }
}
