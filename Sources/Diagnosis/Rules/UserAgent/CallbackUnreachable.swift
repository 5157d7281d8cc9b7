import Captures
import Flows
import OAuth

/// The provider sent the browser to the redirect URI, and nobody answered there.
struct CallbackUnreachable: Rule {
    static let info = RuleInfo(
        id: "callback-unreachable",
        title: "The browser could not reach the redirect URI",
        severity: .error,
        explanation: """
            The provider's answer was on its way, but the address it was sent to did not respond. The provider has done its part; the code is \
            lost with the request.
            """,
        fix: """
            For an address of the machine itself: see that the app's listener runs on that very port and is not stopped before the answer \
            comes. Otherwise the app builds its address from a name that only it can resolve; configure its public one.
            """,
        badExample: """
            302 Location: http://127.0.0.1:49152/callback?code=…
            GET http://127.0.0.1:49152/callback?code=…   net::ERR_CONNECTION_REFUSED
            """,
        goodExample: """
            302 Location: http://127.0.0.1:49152/callback?code=…
            GET http://127.0.0.1:49152/callback?code=… → 200 You may close this window
            """,
        specifications: [.rfc(8252, "7.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var errorLost: Violation?
        for response in flow.authorizationResponses {
            if let violation = stopped(response, flow) { return .violated(violation) }
            guard response.target.isWeb else { continue }
            if let violation = withheld(response, flow) { return .violated(violation) }
            guard let failure = failure(of: response, flow) else { continue }
            let isHungUp = isHungUp(response, flow)
            guard isHungUp || !isUsed(response, flow) else { continue }
            // The connection stood; whoever had it hung up, or was silent.
            let isTaken = isHungUp || TransportFailure(failure.value) == .unanswered
            var evidence: [Evidence] = []
            if let exchange = response.deliveredBy, let location = flow.capture[exchange].response?.location {
                evidence.append(
                    Evidence(
                        place: Place(exchange: exchange, part: .responseLocation, name: ""),
                        value: Masking.shown(location, of: "location")
                    )
                )
            }
            evidence.append(failure)
            // What went wrong had done so before.
            guard response.error == nil else {
                let exchange = failure.place.exchange
                errorLost =
                    errorLost
                    ?? Violation(evidence, severity: .note, explanation: Self.errorLost, exchange: exchange)
                continue
            }
            return .violated(
                Violation(
                    evidence,
                    explanation: isHungUp ? Self.hangUp : isTaken ? Self.silence : nil,
                    fix: isTaken
                        ? "Look into the app's log, and whether its server was restarted, at the time of this request."
                        : nil,
                    title: isTaken
                        ? "The app took the request to the redirect URI and did not answer it" : nil,
                    exchange: failure.place.exchange
                )
            )
        }
        return errorLost.map { .violated($0) } ?? .holds
    }

    private static let errorLost = """
        The provider's answer was an error, and the address it was sent to did not respond: the user saw the browser's own page of errors in place of \
        the app's. The login had failed before.
        """

    private static let hangUp = """
        The app's server took the callback, went to the token endpoint with its code, and hung up on the browser without an answer: it broke \
        down while it worked on the login.
        """

    private static let silence = """
        The provider's answer was on its way, and the app's listener took the connection; then it hung up, or was silent until the browser gave \
        up. The provider has done its part; the code is lost with the request.
        """

    /// The page that was to send the answer on, and whose own policy does not let it.
    private func withheld(_ response: AuthorizationResponse, _ flow: Flow) -> Violation? {
        guard response.mode == .formPost, response.callback == nil, let page = response.deliveredBy,
            !isUsed(response, flow), !isSent(response.target, after: page, flow)
        else { return nil }
        let exchange = flow.capture[page]
        guard let answer = exchange.response, let body = answer.body, !Self.hasOutsideScript(body),
            exchange.request.headers.first("user-agent").map({ $0.hasPrefix("Mozilla/") }) ?? false
        else { return nil }
        let policy = ContentSecurityPolicy(answer.headers)
        let isTargetForbidden = policy.forbidsForms(from: exchange.request.url, to: response.target)
        guard isTargetForbidden || policy.forbidsInlineScripts && Self.sendsItself(body) else { return nil }
        let header = "Content-Security-Policy"
        return Violation(
            [
                Evidence(
                    place: Place(exchange: page, part: .responseHeader, name: header),
                    value: Masking.shown(answer.headers.all(header).joined(separator: ", "), of: "header"),
                    note: isTargetForbidden
                        ? "form-action does not let a form go to the redirect URI"
                        : "no script that stands in the page may run"
                ),
                .computed(
                    "redirect_uri",
                    Masking.shown(response.target.withoutQuery, of: "url"),
                    in: .responseBody,
                    note: "never called"
                ),
            ],
            explanation: Self.policy,
            fix: isTargetForbidden
                ? "Have the provider name the origin of the redirect URI in the form-action of this page, or leave form-action out of it."
                : """
                Have the provider allow this page its script, by a nonce or a hash in script-src. Until then use response_mode=query with \
                response_type=code, which needs no page.
                """,
            title: "The page that brings the provider's answer is kept from sending it by its own policy",
            exchange: page
        )
    }

    private static let policy = """
        The provider put its answer into a form on a page, which is to send itself to the redirect URI. The Content-Security-Policy that came with \
        the page forbids that, so the browser stays on it, and the app never gets the answer.
        """

    /// The redirect that answers a form of the sign-in, and that the policy of the form's page does not let a browser follow.
    ///
    /// Chromium's browsers hold form-action against the redirects behind a form, too (Content Security Policy Level 3, section
    /// 6.4.2).
    private func stopped(_ response: AuthorizationResponse, _ flow: Flow) -> Violation? {
        guard response.mode != .formPost, response.callback == nil, let redirect = response.deliveredBy,
            !isUsed(response, flow), !isSent(response.target, after: redirect, flow),
            let post = form(behind: redirect, flow), let page = page(of: post, flow),
            let answer = flow.capture[page].response,
            isNavigation(flow.capture[post].request),
            // What the app itself sends has to be in the capture to be missed.
            response.target.isWeb || !BrowserRecorder.wrote(flow.capture),
            HandedOnCode.isCarried(response, in: flow.surroundings) == false, !isAtWork(response, flow),
            ContentSecurityPolicy(answer.headers).forbidsForms(
                from: flow.capture[page].request.url,
                to: response.target
            )
        else { return nil }
        let header = "Content-Security-Policy"
        return Violation(
            [
                Evidence(
                    place: Place(exchange: page, part: .responseHeader, name: header),
                    value: Masking.shown(answer.headers.all(header).joined(separator: ", "), of: "header"),
                    note: "form-action does not let a form of this page lead to the redirect URI"
                ),
                Evidence(
                    place: Place(exchange: redirect, part: .responseLocation, name: ""),
                    value: Masking.shown(response.target.withoutQuery, of: "url"),
                    note: "never called"
                ),
            ],
            explanation: """
                The provider answered the form of its sign-in with a redirect to the app. The Content-Security-Policy of the page with the form does \
                not name that address in form-action, and Chromium's browsers hold it against the redirects behind a form as well: they stay on the \
                page, and the app never gets the answer.
                """,
            fix: """
                Have the provider name the redirect URI's origin, or its scheme (com.example.shop:), in the form-action of its sign-in and consent \
                pages, or leave form-action out of them.
                """,
            title: "The browser is kept from following the redirect to the app by the sign-in page's policy",
            exchange: page
        )
    }

    private func isNavigation(_ request: RecordedRequest) -> Bool {
        request.headers.first("user-agent")?.containsBytes("Chrome/") ?? false
            && request.headers.first("sec-fetch-mode").map { $0 == "navigate" } ?? true
    }

    /// Whether the app goes on behind an answer: it loads a page of its own, or somebody shows a token of this login.
    private func isAtWork(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        let position = flow.surroundings.position
        let start = position[response.exchange]
        if BearerCall.all(in: flow).contains(where: { position[$0.call.exchange] > start }) { return true }
        return flow.surroundings.order[(start + 1)...].contains {
            response.target.isWeb && flow.capture[$0].request.url.origin == response.target.origin
        }
    }

    /// The form that was sent, and answered with a redirect that led here.
    private func form(behind redirect: Int, _ flow: Flow) -> Int? {
        var exchange = redirect
        for _ in 0..<10 {
            if flow.capture[exchange].request.method == "POST" { return exchange }
            guard let earlier = flow.surroundings.redirectedFrom[exchange] else { return nil }
            exchange = earlier
        }
        return nil
    }

    /// The page that a form was sent from: the last one before it at the address that the browser says.
    private func page(of post: Int, _ flow: Flow) -> Int? {
        guard let referer = flow.capture[post].request.headers.first("referer").map({ RecordedURL($0) })
        else {
            return nil
        }
        let position = flow.surroundings.position
        return flow.exchanges.last { exchange in
            guard position[exchange] < position[post], let response = flow.capture[exchange].response else {
                return false
            }
            return response.body?.essence == "text/html" && response.location == nil
                && flow.capture[exchange].request.url.withoutQuery == referer.withoutQuery
        }
    }

    /// Whether the redirect URI was called behind a page.
    private func isSent(_ target: RecordedURL, after page: Int, _ flow: Flow) -> Bool {
        flow.surroundings.order[(flow.surroundings.position[page] + 1)...].prefix(50).contains {
            flow.capture[$0].request.url.withoutQuery == target.withoutQuery
        }
    }

    private static func sendsItself(_ body: Body) -> Bool { body.text?.containsBytes(".submit") ?? false }

    /// A script of a file's own may send the form, and policies judge it by where it comes from.
    private static func hasOutsideScript(_ body: Body) -> Bool {
        guard (body.size ?? 0) < 1 << 18, let page = body.bytes else { return true }
        return HTMLScripts.areLoaded(by: page)
    }

    /// Whether the app's server brought the code to the token endpoint, and never answered the browser.
    private func isHungUp(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        guard let callback = response.callback,
            !flow.authorizationResponses.contains(where: { other in
                other.code == response.code
                    && other.callback.map { flow.capture[$0].response != nil } ?? false
            })
        else { return false }
        return flow.tokenRequests.contains {
            $0.code != nil && $0.code == response.code
                && flow.surroundings.isHungUp(callback, during: $0.exchange)
        }
    }

    /// The code came to the app another way: the system handed the address to it, or a second try got through.
    private func isUsed(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        guard let code = response.code else { return false }
        return flow.tokenRequests.contains { $0.code == code }
            || flow.authorizationResponses.contains { other in
                other.code == code && other.callback.map { flow.capture[$0].response != nil } ?? false
            }
    }

    private func failure(of response: AuthorizationResponse, _ flow: Flow) -> Evidence? {
        if let callback = response.callback {
            let exchange = flow.capture[callback]
            guard exchange.response == nil, let reason = exchange.failure, !Self.isCancelled(reason),
                !RecorderRefusal.isOne(exchange)
            else { return nil }
            return Evidence(place: Place(exchange: callback, part: .responseStatus, name: ""), value: reason)
        }
        guard let delivered = response.deliveredBy, response.mode != .formPost else { return nil }
        // Some recorders write no entry for the request, but the browser's error page after it, or the
        // connection that failed.
        let next = flow.surroundings.order[(flow.surroundings.position[delivered] + 1)...].prefix(3)
        for index in next {
            let exchange = flow.capture[index]
            let url = exchange.request.url
            if url.scheme == "chrome-error" || url.text.hasPrefix("about:neterror") {
                return Evidence(
                    place: Place(exchange: index, part: .requestURL, name: ""),
                    value: Masking.shown(url.text, of: "url"),
                    note: exchange.failure ?? "the browser's error page"
                )
            }
            if exchange.request.method == "CONNECT", exchange.response == nil,
                url.host == response.target.host, url.port == response.target.port,
                let reason = exchange.failure, !RecorderRefusal.isOne(exchange)
            {
                return Evidence(place: Place(exchange: index, part: .responseStatus, name: ""), value: reason)
            }
        }
        return nil
    }

    /// Navigations that somebody called off: an app that takes the address to itself does.
    private static func isCancelled(_ reason: String) -> Bool {
        let reason = reason.lowercased()
        // A circle was reached again and again.
        return [
            "too_many_redirects", "redirect_loop", "too many redirects", "aborted", "cancel",
            "blocked_by_client", "blocked by client", "unknown_url_scheme",
        ].contains(
            where: reason.containsBytes
        )
    }
}
