import Captures
import Flows
import JOSE
import OAuth

/// How far the app's server came with a callback that it refused, as far as the capture shows it.
struct CallbackCourse {
    var evidence: [Evidence] = []
    /// Nil where the capture shows nothing of it: then the rule's own words hold.
    var explanation: String?
    var fix: String?
    /// Nil where the rule's own says it.
    var title: String?

    static func of(_ callback: RejectedCallback, in flow: Flow) -> CallbackCourse {
        if callback.isAnswerLost {
            return CallbackCourse(respelling(of: callback, flow), lost, lostFix)
        }
        if isOutOfReach(callback, flow) {
            let names = callback.response.names(note: "in the fragment")
            return CallbackCourse([names], inFragment, inFragmentFix)
        }
        if let named = byNamedFault(of: callback, flow) { return named }
        let tokens = callback.tokens(in: flow)
        if let course = ofAlgorithm(callback, tokens, flow) { return course }
        if tokens == nil, quotesProvider(callback, flow) { return CallbackCourse([], quoted, quotedFix) }
        let failed = callback.failedCalls(in: flow)
        if let answer = TokenlessAnswer(to: callback, in: flow) {
            return CallbackCourse(
                (tokens ?? []).prefix(1) + [answer.evidence] + failed,
                TokenlessAnswer.explanation,
                TokenlessAnswer.fix
            )
        }
        if failed.isEmpty, let reason = SaidReason.of(callback, in: flow) {
            let words = words(of: reason)
            let told = reason == .user ? claims(of: callback, flow) : nil
            let evidence = (tokens?.prefix(1) ?? []) + [told].compactMap(\.self)
            return CallbackCourse(Array(evidence), words.explanation, words.fix)
        }
        if tokens == nil, failed.isEmpty, let managed = ManagedCallback(callback, in: flow) {
            return CallbackCourse([], managed.explanation, managed.fix)
        }
        if tokens == nil, failed.isEmpty, saysThatTheExchangeFailed(callback, flow) {
            return CallbackCourse([], exchangeFailed, exchangeFailedFix)
        }
        if tokens == nil, failed.isEmpty, !callback.isRedeemed(in: flow), blamesIDToken(callback, flow) {
            return CallbackCourse([], tokenRefused, tokenRefusedFix)
        }
        if tokens == nil, failed.isEmpty, isBehindState(callback, flow) {
            return CallbackCourse([], behindState, behindStateFix)
        }
        if tokens == nil, failed.isEmpty, namesOtherIssuer(callback, flow) {
            return CallbackCourse([], issuerUnmatched, issuerRefusedFix)
        }
        if tokens == nil, failed.isEmpty, callback.isForgotten {
            return CallbackCourse([], forgotten, forgottenFix)
        }
        guard failed.isEmpty else {
            return CallbackCourse((tokens ?? []).prefix(1) + failed, stopped, stoppedFix)
        }
        return tokens.map { behind($0, of: callback, flow) } ?? withoutTokens(callback, flow)
    }

    /// The app's server has its tokens, and says itself that it does not take the ID token's algorithm.
    private static func ofAlgorithm(_ callback: RejectedCallback, _ tokens: [Evidence]?, _ flow: Flow)
        -> CallbackCourse?
    {
        guard let tokens, let said = AlgorithmRefusal.evidence(of: callback, in: flow) else { return nil }
        return CallbackCourse(tokens + [said], saying: AlgorithmRefusal.words)
    }

    private init(_ evidence: [Evidence], _ explanation: String, _ fix: String) {
        self.init(evidence, saying: Violation.Words(explanation: explanation, fix: fix))
    }

    private init(_ evidence: [Evidence], saying words: Violation.Words) {
        self.evidence = evidence
        (title, explanation, fix) = (words.title, words.explanation, words.fix)
    }

    private init() {}

    /// What is wrong with the one thing that the app speaks of is to be seen.
    private static func byNamedFault(of callback: RejectedCallback, _ flow: Flow) -> CallbackCourse? {
        if let state = TwiceEncodedState.evidence(of: callback, in: flow) {
            return CallbackCourse([state], saying: TwiceEncodedState.words)
        }
        return StatedLack(over: callback, in: flow).map { lack in
            CallbackCourse(lack.evidence, saying: lack.words)
        }
    }

    /// The app's server has its tokens, and nothing that it asked for failed.
    private static func behind(_ tokens: [Evidence], of callback: RejectedCallback, _ flow: Flow)
        -> CallbackCourse
    {
        let answer = flow.capture[callback.place].response
        if [502, 504].contains(answer?.status), !isOwnWord(answer) {
            return CallbackCourse(tokens, gatewayWithTokens, gatewayWithTokensFix)
        }
        if saysThatTheStateIsAnother(callback, flow) {
            return CallbackCourse(tokens, otherState, otherStateFix)
        }
        if let issuers = issuerButForSlash(callback, flow) {
            return CallbackCourse(tokens + issuers, slashRefused, issuerRefusedFix)
        }
        if let issuers = otherIssuer(callback, flow) {
            return CallbackCourse(tokens + issuers, issuerRefused, issuerRefusedFix)
        }
        guard let early = callback.prematureTime(in: flow) else {
            if answer?.status == 403 { return CallbackCourse(tokens, notLetIn, notLetInFix) }
            return CallbackCourse(tokens, withTokens, fix(behindTokensOf: callback, flow))
        }
        return CallbackCourse(tokens + early.evidence, premature, prematureFix)
    }

    private static func withoutTokens(_ callback: RejectedCallback, _ flow: Flow) -> CallbackCourse {
        if let form = SentOnForm(callback.response, in: flow) {
            return CallbackCourse(form.evidence(in: flow), saying: form.words)
        }
        let answer = flow.capture[callback.place].response
        switch answer?.status {
        case 502 where isBroker(answer): return CallbackCourse([], broker, brokerFix)
        case 502, 504: return CallbackCourse([], gateway, gatewayFix)
        case 404 where !callback.isRedeemed(in: flow) && !isOwnWord(answer):
            return server(ofAnotherProgramAt: callback, flow).map {
                CallbackCourse($0, otherProgram, otherProgramFix)
            } ?? CallbackCourse([], nowhere, nowhereFix)
        default: break
        }
        if let stored = beginningInStore(callback, flow) {
            return CallbackCourse([stored], StoredAnswer.explanation, StoredAnswer.fix)
        }
        if let earlier = callback.answeredBefore(in: flow) {
            return CallbackCourse([earlier], answeredTwice, answeredTwiceFix)
        }
        if let other = overtaking(callback, flow) { return CallbackCourse([other], overtaken, overtakenFix) }
        if let cookies = CookieCourse(of: callback, in: flow) {
            return CallbackCourse([cookies.evidence], cookies.explanation, cookies.fix)
        }
        if let page = beginningAtProvider(of: callback, flow) {
            return CallbackCourse([page], atProvider, atProviderFix)
        }
        guard !callback.isRedeemed(in: flow), beginningWithoutCookie(of: callback, flow) != nil else {
            return CallbackCourse()
        }
        return CallbackCourse([], withoutCookie, withoutCookieFix)
    }

    /// What the answer at a loopback address says of its server, where a program opened the browser itself and nothing had been loaded
    /// there before, none where it says nothing; nil where it may be the app.
    private static func server(ofAnotherProgramAt callback: RejectedCallback, _ flow: Flow) -> [Evidence]? {
        let exchange = flow.capture[callback.exchange]
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard exchange.request.url.isOnLoopback, let request = login?.request,
            flow.surroundings.redirectedFrom[request.exchange] == nil,
            !isSentByPage(flow.capture[request.exchange].request)
        else { return nil }
        let before = flow.surroundings.order[..<flow.surroundings.position[request.exchange]]
        guard
            !before.suffix(mostMeanwhile).contains(where: {
                flow.capture[$0].request.url.origin == exchange.request.url.origin
            })
        else { return nil }
        guard let name = exchange.response?.headers.first("server") else { return [] }
        return [
            Evidence(
                place: Place(exchange: callback.exchange, part: .responseHeader, name: "Server"),
                value: Masking.shown(name, of: "server"),
                note: "who answered"
            )
        ]
    }

    /// Whether a browser says that it came from a page, though the capture may begin behind that.
    private static func isSentByPage(_ request: RecordedRequest) -> Bool {
        if let site = request.headers.first("sec-fetch-site") { return site.lowercased() != "none" }
        return request.headers.contains("referer")
    }

    /// Whether a page is Keycloak's own, which signs in at another provider and has this status where that fails on its side.
    private static func isBroker(_ answer: RecordedResponse?) -> Bool {
        PageText.words(of: answer?.body).containsBytes("when authenticating with identity provider")
    }

    /// What an app says in JSON it says itself.
    private static func isOwnWord(_ answer: RecordedResponse?) -> Bool {
        answer?.body?.essence == "application/json"
    }

    private static func fix(behindTokensOf callback: RejectedCallback, _ flow: Flow) -> String {
        guard let delivered = callback.idToken(in: flow) else { return withoutIDTokenFix }
        let isEncrypted = (delivered.idToken.envelope ?? delivered.idToken.token).form == .encrypted
        return isEncrypted ? encryptedFix : withTokensFix
    }

    /// Where the callback was sent on to without its answer.
    private static func respelling(of callback: RejectedCallback, _ flow: Flow) -> [Evidence] {
        let exchange = flow.capture[callback.exchange]
        guard let location = exchange.response?.location else { return [] }
        return [
            Evidence(
                place: Place(exchange: callback.exchange, part: .responseLocation, name: ""),
                value: Masking.shown(exchange.request.url.resolving(location).withoutQuery, of: "url"),
                note: "sent on by \(exchange.response?.status ?? 0), without the "
                    + (exchange.request.method == "POST" ? "form" : "query")
            )
        ]
    }

    /// Whether the app's server refused the callback by itself, though no server is sent the answer.
    private static func isOutOfReach(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard callback.response.mode == .fragment, callback.place == callback.exchange,
            !callback.isRedeemed(in: flow), let answer = flow.capture[callback.exchange].response
        else { return false }
        // A server that is down or asks for a password of its own has not looked at it.
        return answer.location != nil
            || answer.isClientError && ![401, 403, 429].contains(answer.status)
    }

    /// Of the exchanges of a login; who began another one longer ago did so in another visit.
    private static let mostMeanwhile = 200

    /// The answer out of a cache with which the login began.
    private static func beginningInStore(_ callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        return login.flatMap { StoredAnswer.beginning(of: $0.request, in: flow) }
    }

    /// The redirect by which the app began another login meanwhile, in the session that the callback belongs to.
    private static func overtaking(_ callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request, let state = request.state,
            !flow.surroundings.isSanitized(at: request.exchange),
            let beginning = flow.surroundings.redirectedFrom[request.exchange]
        else { return nil }
        let order = flow.surroundings.order
        let position = flow.surroundings.position
        guard position[beginning] < position[callback.exchange] else { return nil }
        let answered = flow.capture[callback.exchange].request
        let own = Set(LoginCookies.set(for: request, callback: callback, in: flow).map(\.cookie.name))
        let session = Set(answered.cookies.filter { own.contains($0.name) || own.isEmpty })
        let meanwhile = order[(position[beginning] + 1)..<position[callback.exchange]]
        return meanwhile.suffix(mostMeanwhile).reversed().lazy.compactMap { index in
            let other = flow.capture[index]
            guard other.request.url.host == answered.url.host,
                !session.isDisjoint(with: other.request.cookies),
                let location = other.response?.location
            else { return nil }
            let target = other.request.url.resolving(location)
            guard request.endpoint.isEndpoint(target),
                let anew = target.queryItems.first("state"), anew != state
            else { return nil }
            return Evidence(
                place: Place(exchange: index, part: .responseLocation, name: "state"),
                value: Masking.shown(anew, of: "state"),
                note: "another login, begun in the same session before this answer came"
            )
        }.first
    }

    /// Whether the app's page, or where it sends the browser, names an error that only a token endpoint gives.
    private static func quotesProvider(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        let location = flow.capture[callback.place].response?.location ?? ""
        let text =
            PageText.words(of: flow.capture[callback.wording].response?.body, limit: 1 << 16) + " " + location
            + " " + values(in: location)
        return providersWords.contains(where: text.containsBytes)
    }

    /// What the query and the fragment of an address say, decoded.
    static func values(in location: String) -> String {
        let url = RecordedURL(location)
        return url.queryAndFragmentItems.items.map(\.value).joined(separator: " ")
    }

    /// Names of errors, what Okta, Auth0 and Keycloak say of the verifier, the code and the secret, Passport's name for a refusal of
    /// the token endpoint's, and Supabase's.
    private static let providersWords = [
        "invalid_client", "invalid_grant", "unauthorized_client", "AADSTS", "PKCE verification failed",
        "Failed to verify code verifier", "Code not valid", "nvalid client credentials", "TokenError",
        "Unable to exchange external code",
    ]
}
