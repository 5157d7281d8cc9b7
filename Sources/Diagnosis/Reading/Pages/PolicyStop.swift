import Captures
import Flows
import OAuth

/// A page's own Content-Security-Policy that keeps the browser from bringing the provider's answer to the app (Content Security
/// Policy Level 3, section 6.4.2).
enum PolicyStop {
    /// What kept an answer from the app; nil where no policy did.
    static func violation(of response: AuthorizationResponse, in flow: Flow) -> Violation? {
        stopped(response, flow) ?? withheld(response, flow)
    }

    /// The page that was to send the answer on, and whose own policy does not let it.
    private static func withheld(_ response: AuthorizationResponse, _ flow: Flow) -> Violation? {
        guard response.target.isWeb, response.mode == .formPost, response.callback == nil,
            let page = response.deliveredBy,
            !flow.receivedCodes.contains(response), !isSent(response.target, after: page, flow)
        else { return nil }
        let exchange = flow.capture[page]
        guard let answer = exchange.response, let body = answer.body, !hasOutsideScript(body),
            exchange.request.userAgent.map({ $0.hasPrefix("Mozilla/") }) ?? false
        else { return nil }
        let policy = ContentSecurityPolicy(answer.headers)
        let isTargetForbidden = policy.forbidsForms(from: exchange.request.url, to: response.target)
        guard isTargetForbidden || policy.forbidsInlineScripts && sendsItself(body) else { return nil }
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
            explanation: withheldAnswer,
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

    private static let withheldAnswer = """
        The provider put its answer into a form on a page, which is to send itself to the redirect URI. The Content-Security-Policy that came with \
        the page forbids that, so the browser stays on it, and the app never gets the answer.
        """

    /// Whether neither the browser nor the app was seen to go on with an answer that a redirect brought.
    private static func isMissed(_ response: AuthorizationResponse, behind redirect: Int, _ flow: Flow)
        -> Bool
    {
        // What the app itself sends has to be in the capture to be missed.
        guard response.target.isWeb || !BrowserRecorder.wrote(flow.capture),
            response.callback.map({ isGivenUp(flow.capture[$0]) }) ?? true
        else { return false }
        return !flow.receivedCodes.contains(response) && !isSent(response.target, after: redirect, flow)
            && HandedOnCode.isCarried(response, in: flow.surroundings) == false && !isAtWork(response, flow)
    }

    /// The redirect that answers a form of the sign-in, and that the policy of the form's page does not let a browser follow.
    ///
    /// Chromium's browsers hold form-action against the redirects behind a form, too (Content Security Policy Level 3, section
    /// 6.4.2).
    private static func stopped(_ response: AuthorizationResponse, _ flow: Flow) -> Violation? {
        guard response.mode != .formPost, let redirect = response.deliveredBy,
            flow.capture[redirect].response?.location != nil,
            isMissed(response, behind: redirect, flow),
            let post = form(behind: redirect, flow), let page = page(of: post, flow),
            let answer = flow.capture[page].response,
            isNavigation(flow.capture[post].request),
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
                    note: response.callback.flatMap { flow.capture[$0].failure } ?? "never called"
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

    private static func isNavigation(_ request: RecordedRequest) -> Bool {
        request.userAgent?.containsBytes("Chrome/") ?? false
            && request.headers.first("sec-fetch-mode").map { $0 == "navigate" } ?? true
    }

    /// Whether the app goes on behind an answer: it loads a page of its own, or somebody shows a token of this login.
    private static func isAtWork(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        let position = flow.surroundings.position
        let start = position[response.exchange]
        if BearerCall.all(in: flow).contains(where: { position[$0.call.exchange] > start }) { return true }
        return flow.surroundings.order[(start + 1)...].contains {
            response.target.isWeb && !isGivenUp(flow.capture[$0])
                && flow.capture[$0].request.url.origin == response.target.origin
        }
    }

    /// The form that was sent, and answered with a redirect that led here.
    private static func form(behind redirect: Int, _ flow: Flow) -> Int? {
        ([redirect] + flow.surroundings.redirects(leadingTo: redirect, atMost: 9)).first {
            flow.capture[$0].request.method == "POST"
        }
    }

    /// The page that a form was sent from: the last one before it at the address that the browser says.
    private static func page(of post: Int, _ flow: Flow) -> Int? {
        guard let referer = flow.capture[post].request.headers.first("referer").map({ RecordedURL($0) })
        else {
            return nil
        }
        let position = flow.surroundings.position
        return flow.exchanges.last { exchange in
            guard position[exchange] < position[post], let response = flow.capture[exchange].response else {
                return false
            }
            return response.body?.isPage ?? false && response.location == nil
                && flow.capture[exchange].request.url.withoutQuery == referer.withoutQuery
        }
    }

    /// Whether the redirect URI was called behind a page.
    private static func isSent(_ target: RecordedURL, after page: Int, _ flow: Flow) -> Bool {
        flow.surroundings.withoutAssets(after: page).prefix(50).contains {
            flow.capture[$0].request.url.normalizedWithoutQuery == target.normalizedWithoutQuery
                && !isGivenUp(flow.capture[$0])
        }
    }

    /// Whether the browser itself let go of a request before it was sent, as it does for a policy.
    private static func isGivenUp(_ exchange: Exchange) -> Bool {
        guard exchange.response == nil, let reason = exchange.failure?.lowercased() else { return false }
        return ["blocked_by_csp", "csp_form_action", "err_aborted"].contains(where: reason.containsBytes)
    }

    private static func sendsItself(_ body: Body) -> Bool { body.text?.containsBytes(".submit") ?? false }

    /// A script of a file's own may send the form, and policies judge it by where it comes from.
    private static func hasOutsideScript(_ body: Body) -> Bool {
        guard (body.size ?? 0) < 1 << 18, let page = body.bytes else { return true }
        return HTMLScripts.areLoaded(by: page)
    }
}
