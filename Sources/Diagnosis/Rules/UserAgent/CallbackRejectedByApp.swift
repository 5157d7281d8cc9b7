import Captures
import Flows
import JOSE
import OAuth

/// The app answered its own callback with an error, though the provider had sent a code or an ID token.
///
/// A symptom: it says that the app refused, not why.
struct CallbackRejectedByApp: Rule {
    static let info = RuleInfo(
        id: "callback-rejected-by-app",
        title: "The app itself refused the provider's answer",
        severity: .error,
        isSymptom: true,
        explanation: """
            The provider's answer reached the redirect URI with a code or an ID token in it, and the app answered with an error. The provider \
            had no part in that: the app could not match the answer to a login it began, or failed while it worked on it.
            """,
        fix: """
            Look for findings on cookies, state and tokens first, which are the usual reasons. Without any, the app's own log for the time of \
            this request has the answer.
            """,
        badExample: """
            GET /callback?code=…&state=… → 500 Internal Server Error
            """,
        goodExample: """
            GET /callback?code=…&state=… → 302 /
            """,
        specifications: [.rfc(6749, "4.1.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        // Requests that were not saved may be for any of the codes.
        let unsaved = flow.tokenRequests.filter { $0.code == nil && $0.parameters.isEmpty }
        for callback in RejectedCallback.all(in: flow) {
            // A new login round is a circle, which has a rule of its own.
            if callback.rejection.part == .responseLocation, callback.rejection.name.isEmpty,
                callback.notice == nil, !callback.isAtPageOfErrors
            {
                continue
            }
            let exchanges = flow.receivedCodes.exchanges(of: callback.response) + unsaved
            let refused = !exchanges.isEmpty && !exchanges.contains(where: \.answer.isSuccess)
            guard !refused, isOwn(callback, flow), !isExplained(callback, flow),
                !isOfRefusedCall(callback, flow)
            else { continue }
            let exchange = flow.capture[callback.place]
            let isLeft = isLeftByProgram(callback, flow)
            var evidence = [
                callback.evidence(in: flow, note: isLeft ? "what the browser was told" : nil)
            ]
            if let witness = flow.deadEndWitness(at: callback.exchange) {
                evidence.append(
                    Evidence(
                        place: Place(exchange: witness, part: .requestURL, name: ""),
                        value: Masking.shown(flow.capture[witness].request.url.withoutQuery, of: "url"),
                        note:
                            "sent by \(isLeft ? "the program" : "the app's server"), which never brought the code to the token endpoint"
                    )
                )
            }
            let meaning = exchange.response?.location.flatMap {
                LibraryErrors.meaning(in: $0) ?? LibraryErrors.meaning(in: Self.values(in: $0))
            }
            if let (page, words) = words(of: callback, flow) {
                let ofWords = meaning == nil ? LibraryErrors.meaning(in: words) : nil
                evidence.append(
                    Evidence(
                        place: Place(exchange: page, part: .responseBody, name: ""),
                        value: Masking.shown(words, of: "body"),
                        note: ofWords
                    )
                )
            }
            if let meaning { evidence[0].note = meaning }
            let names = Set(exchange.request.cookies.map(\.name)).sorted().prefix(20)
            if !flow.surroundings.isSanitized {
                evidence.append(
                    Evidence(
                        place: Place(exchange: callback.place, part: .requestHeader, name: "Cookie"),
                        value: names.isEmpty ? "none" : names.joined(separator: ", "),
                        note: "cookies sent with the callback"
                    )
                )
                if names.isEmpty, let none = beginningWithoutCookie(of: callback, flow) {
                    evidence.append(none)
                }
            }
            let course = course(of: callback, flow)
            return .violated(
                Violation(
                    evidence + course.evidence,
                    explanation: isLeft ? Self.leftByProgram : course.explanation,
                    fix: isLeft ? Self.leftByProgramFix : course.fix,
                    title: isLeft
                        ? "The program took the provider's answer and did not exchange the code" : nil,
                    exchange: callback.place
                )
                .toldOfFront(in: flow, of: "app")
            )
        }
        let violation =
            BackEndRefusal.violation(in: flow) ?? repeated(in: flow) ?? BackEndRefusal.repeated(in: flow)
        return violation.map { .violated($0) } ?? .holds
    }

    /// Whether a program on this machine, which opened the browser itself, had the code and went no further.
    private func isLeftByProgram(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request, flow.surroundings.redirectedFrom[request.exchange] == nil,
            flow.deadEndWitness(at: callback.exchange) != nil
        else { return false }
        return LoopbackHost.isLoopback(flow.capture[callback.exchange].request.url.host ?? "")
    }

    private static let leftByProgram = """
        The program's listener on this machine took the provider's answer and told the browser so. The program itself, whose other \
        requests to the provider are in this capture, never brought the code to the token endpoint: it stopped between the two.
        """
    private static let leftByProgramFix = """
        Look at the program's own output for this time, and run it with its log turned up: it may not have liked the answer's state or \
        issuer, may wait for something else, or another instance of it may listen at that port.
        """

    /// What the app says of it, and where.
    private func words(of callback: RejectedCallback, _ flow: Flow) -> (Int, String)? {
        if let body = flow.capture[callback.wording].response?.body, (body.size ?? 0) > 0 {
            return (
                callback.wording,
                callback.noticeWords(in: flow) ?? OpenerMessage.error(on: body) ?? PageText.told(by: body)
            )
        }
        // The page that shows what the address names.
        let page = FailedLoginNotice.landing(of: callback.exchange, in: flow.surroundings)
        guard page != callback.exchange else { return nil }
        return PageText.alert(of: flow.capture[page].response?.body).map { (page, $0) }
    }

    /// That the app set no cookie where it sent the browser to the provider, by which it could know the login again.
    private func beginningWithoutCookie(of callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request.exchange,
            // Some exports have no cookies, though they have credentials.
            flow.surroundings.areCookiesRecorded,
            let beginning = flow.surroundings.redirectedFrom[request],
            flow.capture[beginning].request.url.host == flow.capture[callback.exchange].request.url.host,
            flow.capture[beginning].request.cookies.isEmpty,
            flow.capture[beginning].response?.setCookies.isEmpty ?? false
        else { return nil }
        return Evidence(
            place: Place(exchange: beginning, part: .responseHeader, name: "Set-Cookie"),
            value: "none",
            note: "the app began the login without a cookie to know it by when the answer comes"
        )
    }

    /// A reload, or the way back: the login had gone well, and what its user sees last is an error.
    private func repeated(in flow: Flow) -> Violation? {
        guard flow.ending == .success,
            let callback = RejectedCallback.repeated(in: flow).last(where: {
                ($0.rejection.part == .responseStatus || $0.notice != nil || $0.isAtPageOfErrors)
                    && $0.response.code != nil
            }), let first = callback.repeats
        else { return nil }
        let before = Evidence(
            place: Place(exchange: first, part: .responseStatus, name: ""),
            value: flow.capture[first].response.map { "\($0.status)" } ?? "",
            note: "the same answer was taken before: this is a reload, or the browser's way back"
        )
        return Violation(
            [callback.evidence(in: flow), before],
            severity: .note,
            explanation: """
                The login had gone well: the app took this answer before. Then the redirect URI was loaded again, by a reload or the \
                browser's way back, and an error is what the user saw last. Codes and states are good for one time.
                """,
            fix:
                "Let the callback send somebody who is signed in already to the home page, instead of failing.",
            exchange: callback.exchange
        )
    }

    private static let quoted = """
        The provider's answer reached the redirect URI, and the app answered with an error that quotes the provider: its server was refused when \
        it brought the code to the token endpoint. That request is not in this capture.
        """
    private static let quotedFix = """
        Go by what is quoted: invalid_client is about the app's own credentials (a wrong or expired secret), invalid_grant about the code, its \
        verifier or the redirect URI. Record the app's server as well to see the request itself.
        """

    private static let withTokens = """
        The app knew the login again and exchanged its code, and then answered with an error all the same: it was not content with what it got, \
        or failed while it began its own session. Cookies and state are not the reason.
        """
    private func fix(behindTokensOf callback: RejectedCallback, _ flow: Flow) -> String {
        guard let delivered = callback.idToken(in: flow) else { return Self.withoutIDTokenFix }
        let isEncrypted = (delivered.idToken.envelope ?? delivered.idToken.token).form == .encrypted
        return isEncrypted ? Self.encryptedFix : Self.withTokensFix
    }

    private static let withoutIDTokenFix = """
        There is no ID token in the answer to the code. Compare what the app wants of that answer with what it has: an ID token (scope openid), a refresh_token, expires_in as a \
        number, token_type; then what it asks an API about the user, and whether it knows this user. Its own log for the time of this request says which.
        """
    private static let encryptedFix = """
        The ID token is encrypted. See first that the app has the private key of the token's kid, takes its alg and enc, and that the provider has the public half of that very key; then \
        compare what it expects of what is inside: algorithm, issuer, audience, nonce. The app's own log for the time of this request says which.
        """
    private static let withTokensFix = """
        Compare what the app is set to expect of the ID token with what this one has: the algorithm of its signature, issuer, audience, the \
        claims it wants, and whether it knows this user. The app's own log for the time of this request says which.
        """

    private static let premature = """
        The app knew the login again and exchanged its code. By the clock of its server the ID token was not issued, or not valid, yet when it looked at it: \
        the provider's clock is ahead of the app's. Libraries that grant no leeway refuse such a token, be it for a second.
        """
    private static let prematureFix = """
        Set the clocks of both servers by network time, and let the app's library grant some seconds (leeway, clockTolerance, clock skew). If its log names \
        another reason, compare issuer, audience, algorithm and claims.
        """

    private static let stopped = """
        The provider's answer reached the redirect URI with a code or an ID token in it. While the app worked on it, its own server asked for \
        something that it did not get; then the app answered with an error.
        """
    private static let stoppedFix = """
        Look at that request first: compare its address with the one that the provider's metadata names, and read what was answered. If it is \
        as it should be, the app's own log for this time has the answer.
        """

    private static let inFragment = """
        The provider put its answer behind a #, and what stands there a browser keeps to itself: the app's server was asked for the redirect \
        URI alone, and refused a callback that brought it nothing.
        """
    private static let inFragmentFix = """
        Where the app's server is to read the answer, ask for response_mode=form_post, or for response_type=code. Else let the redirect URI \
        answer with a page whose script reads the fragment.
        """

    private static let lost = """
        The browser brought the provider's answer to the redirect URI, and was sent on from there to another spelling of the same \
        address: https for http, with or without www., a slash at the end. The code and the state did not come along, so the app found \
        nothing in its callback and refused it.
        """
    private static let lostFix = """
        Register and send the redirect URI in the spelling that the app is served under, so that nothing has to send the browser on. And \
        let such redirects keep the query ($request_uri, not $uri, in nginx); one that answers a form (response_mode=form_post) has to \
        be 307 or 308, for browsers make a GET of the others.
        """

    /// Where the callback was sent on to without its answer.
    private func respelling(of callback: RejectedCallback, _ flow: Flow) -> [Evidence] {
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
    private func isOutOfReach(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard callback.response.mode == .fragment, callback.place == callback.exchange,
            !callback.isRedeemed(in: flow), let answer = flow.capture[callback.exchange].response
        else { return false }
        // A server that is down or asks for a password of its own has not looked at it.
        return answer.location != nil
            || (400..<500).contains(answer.status) && ![401, 403, 429].contains(answer.status)
    }

    /// How far the app's server came, as far as the capture shows it.
    private func course(of callback: RejectedCallback, _ flow: Flow) -> (
        evidence: [Evidence], explanation: String?, fix: String?
    ) {
        if callback.isAnswerLost {
            return (respelling(of: callback, flow), Self.lost, Self.lostFix)
        }
        if isOutOfReach(callback, flow) {
            return ([callback.response.names(note: "in the fragment")], Self.inFragment, Self.inFragmentFix)
        }
        let tokens = callback.tokens(in: flow)
        if tokens == nil, quotesProvider(callback, flow) { return ([], Self.quoted, Self.quotedFix) }
        let failed = callback.failedCalls(in: flow)
        guard failed.isEmpty else {
            return ((tokens ?? []).prefix(1) + failed, Self.stopped, Self.stoppedFix)
        }
        // What an app says in JSON it says itself.
        let answer = flow.capture[callback.place].response
        let isItsOwnWord = answer?.body?.essence == "application/json"
        if let tokens {
            if [502, 504].contains(answer?.status), !isItsOwnWord {
                return (tokens, Self.gatewayWithTokens, Self.gatewayWithTokensFix)
            }
            guard let early = callback.prematureTime(in: flow) else {
                return (tokens, Self.withTokens, fix(behindTokensOf: callback, flow))
            }
            return (tokens + early.evidence, Self.premature, Self.prematureFix)
        }
        switch answer?.status {
        case 502, 504: return ([], Self.gateway, Self.gatewayFix)
        case 404 where !callback.isRedeemed(in: flow) && !isItsOwnWord:
            return ([], Self.nowhere, Self.nowhereFix)
        default: break
        }
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        return login.flatMap { StoredAnswer.beginning(of: $0.request, in: flow) }
            .map { ([$0], StoredAnswer.explanation, StoredAnswer.fix) }
            ?? overtaking(callback, flow).map { ([$0], Self.overtaken, Self.overtakenFix) }
            ?? CookieCourse(of: callback, in: flow).map { ([$0.evidence], $0.explanation, $0.fix) }
            ?? ([], nil, nil)
    }

    private static let gateway = """
        The provider's answer reached the redirect URI, and the status is one that balancers and reverse proxies give: what stands in front of the app \
        got no answer from it, or one that it could not pass on.
        """
    private static let gatewayFix = """
        Look into the log of the proxy in front of the app first, then into the app's for the same time. At a callback a common reason is its session cookie: \
        response headers that are larger than the proxy's buffer (proxy_buffer_size of nginx) end so. Else the app is down, or waits too long for the \
        provider.
        """
    private static let gatewayWithTokens = """
        The app exchanged its code with success, and the browser got a status that balancers and reverse proxies give: what stands in front of the app \
        could not pass its answer on, or did not wait for it. Neither the tokens nor the provider need be at fault.
        """
    private static let gatewayWithTokensFix = """
        Look into the log of the proxy in front of the app for this time. "upstream sent too big header" means the session cookies that the app sets now: raise \
        the proxy's buffer for response headers (proxy_buffer_size of nginx), or keep the tokens on the server and an identifier in the cookie. Else the app \
        stopped or took too long, and its own log says where.
        """
    private static let nowhere = """
        The provider's answer came to an address at which the app has nothing: the redirect URI that is registered and sent is not the path that the app \
        listens at.
        """
    private static let nowhereFix = """
        Compare the path of the redirect URI with the route of the app's callback, prefixes of a proxy or a servlet context included, and change the one \
        that is wrong; a change of the redirect URI has to be registered at the provider as well.
        """

    private static let overtaken = """
        Before the provider's answer came, the app had begun another login in the same session: another tab, the way back, a page that begins \
        one by itself. An app that keeps one state per session has forgotten the one of this answer, and has to refuse it.
        """
    private static let overtakenFix = """
        Keep what belongs to a login by its state, not one for the whole session, so that two can be under way; and let a callback that is not \
        known begin the login anew.
        """

    /// Of the exchanges of a login; who began another one longer ago did so in another visit.
    private static let mostMeanwhile = 200

    /// The redirect by which the app began another login meanwhile, in the session that the callback belongs to.
    private func overtaking(_ callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request, let state = request.state, !flow.surroundings.isSanitized,
            let beginning = flow.surroundings.redirectedFrom[request.exchange]
        else { return nil }
        let order = flow.surroundings.order
        let position = flow.surroundings.position
        guard position[beginning] < position[callback.exchange] else { return nil }
        let answered = flow.capture[callback.exchange].request
        let own = Set(LoginCookies.set(for: request, callback: callback, in: flow).map(\.cookie.name))
        let session = Set(answered.cookies.filter { own.contains($0.name) || own.isEmpty })
        let meanwhile = order[(position[beginning] + 1)..<position[callback.exchange]]
        return meanwhile.suffix(Self.mostMeanwhile).reversed().lazy.compactMap { index in
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
    private func quotesProvider(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        let location = flow.capture[callback.place].response?.location ?? ""
        let text =
            PageText.words(of: flow.capture[callback.wording].response?.body, limit: 1 << 16) + " " + location
            + " " + Self.values(in: location)
        return Self.providersWords.contains(where: text.containsBytes)
    }

    /// What the query and the fragment of an address say, decoded.
    private static func values(in location: String) -> String {
        let url = RecordedURL(location)
        return (url.queryItems.items + url.fragmentItems.items).map(\.value).joined(separator: " ")
    }

    /// Names of errors, what Okta, Auth0 and Keycloak say of the verifier, the code and the secret, Passport's name for a refusal of
    /// the token endpoint's, and Supabase's.
    private static let providersWords = [
        "invalid_client", "invalid_grant", "unauthorized_client", "AADSTS", "PKCE verification failed",
        "Failed to verify code verifier", "Code not valid", "nvalid client credentials", "TokenError",
        "Unable to exchange external code",
    ]

    /// Whether a page that is headed by an error says no more than what is known: the app got its tokens, and had to refuse
    /// them.
    private func isExplained(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard let status = flow.capture[callback.place].response?.status, status < 400 else { return false }
        return callback.hasFaultyToken(in: flow)
    }

    /// Whether UserInfo or an API refused the new token, or the provider refused who asked about it, while the app was at work on
    /// the callback: that is what stopped it.
    private func isOfRefusedCall(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard callback.isRedeemed(in: flow) else { return false }
        let place = flow.capture[callback.place]
        let rules: [any Rule] = [BearerRejected(), InsufficientScope(), TokenInvalidClient()]
        return rules.contains { rule in
            guard case .violated(let refusal) = flow.verdict(of: rule), refusal.severity != .note,
                let call = refusal.exchange.map({ flow.capture[$0] })
            else { return false }
            return call.startedAt >= place.startedAt && call.startedAt <= place.endedAt
        }
    }

    /// Whether the refusal is the app's: a redirect that names an error leads to its own pages, or on to another app for which it
    /// signs in, and not as the answer to a login of that app's which is in the capture.
    private func isOwn(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard callback.rejection.part == .responseLocation,
            let location = flow.capture[callback.exchange].response?.location
        else { return true }
        let url = flow.capture[callback.exchange].request.url
        let target = url.resolving(location)
        if target.isWeb, Site.of(target.host ?? "") == Site.of(url.host ?? "") { return true }
        // Elsewhere it is the app itself that is told, or the client of a broker.
        return !flow.surroundings.redirectURIs.contains(target.withoutQuery)
    }
}
