import Captures
import Flows
import OAuth

/// A page called the provider on another origin, and the browser did not let it have the answer.
///
/// The browser asks first (a preflight) or looks at the answer, and wants the page's origin named there (Fetch
/// standard). Seen in a preflight that was refused, in a request without an answer, or in an answer without
/// the permission. What a page went on with was not blocked.
struct CORSBlocked: Rule {
    static let info = RuleInfo(
        id: "cors-blocked",
        title: "The browser blocked a cross-origin call to the provider",
        severity: .error,
        explanation: """
            The request comes from a page on another origin than the provider's. The provider does not say that this origin may read its \
            answers, so the browser keeps them from the page, which sees a network error.
            """,
        fix: """
            Register the page's origin at the provider ("web origins", platform "single-page application", allowed origins), exactly, with \
            scheme and port; or make the call from a server.
            """,
        badExample: """
            OPTIONS /token  Origin: https://app.example  → 403
            POST /token     Origin: https://app.example  → no answer
            """,
        goodExample: """
            OPTIONS /token  Origin: https://app.example  → 204 Access-Control-Allow-Origin: https://app.example
            POST /token     Origin: https://app.example  → 200 Access-Control-Allow-Origin: https://app.example
            """,
        specifications: [
            SpecificationReference(
                text: "Fetch standard, CORS protocol",
                url: "https://fetch.spec.whatwg.org/#http-cors-protocol"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = PageCall.all(in: flow)
        // A URL counts by its last call: a page that tried again and was let in has lost nothing.
        var last: [String: PageCall] = [:]
        for call in calls { last["\(call.method) \(call.url.withoutQuery)"] = call }
        for call in calls where last["\(call.method) \(call.url.withoutQuery)"]?.exchange == call.exchange {
            if var violation = judge(call, flow) {
                if call.isOfExtension {
                    violation.fix = Self.ofExtensionFix
                } else if RecordedURL(call.origin).origin == nil {
                    violation.fix = Self.ofAppFix
                }
                if call.isLogout {
                    violation.explanation = Self.ofLogout
                    violation.fix = Self.ofLogoutFix
                }
                return .violated(violation)
            }
        }
        return (lonePreflight(calls, flow) ?? ScriptedSignIn.violation(in: flow)).map { .violated($0) }
            ?? .holds
    }

    // MARK: - A call that was recorded

    private func judge(_ call: PageCall, _ flow: Flow) -> Violation? {
        // A preflight shows that an extension has no permission for the host.
        guard !call.isOfExtension || preflight(of: call, flow) != nil else { return nil }
        let exchange = flow.capture[call.exchange]
        guard let response = exchange.response, !exchange.isAnswerHeadCut else {
            return unanswered(call, flow)
        }
        guard !exchange.mayHaveAnswered("access-control-allow-origin") else { return nil }
        return answered(call, response)
    }

    /// A call whose answer the page may not read.
    private func answered(_ call: PageCall, _ response: RecordedResponse) -> Violation? {
        guard response.isSuccessful || response.isClientError,
            !response.headers.fields.isEmpty, !call.wentOn
        else { return nil }
        let fault = Permission.missing(in: response, for: call.origin, isCredentialed: call.isCredentialed)
        let isSaid = ClientTypeRefusal.keepsPagesOut(in: call.errorText)
        guard let fault = fault ?? (isSaid ? "the provider says so itself" : nil) else { return nil }
        var evidence = [call.originEvidence, permission(response, call.exchange, fault)]
        if isSaid, let answer = call.answer { evidence.append(answer.evidence()) }
        return Violation(
            evidence,
            explanation: isSaid ? Self.registered : nil,
            title: isSaid ? "The provider lets no page exchange codes of this client" : nil,
            exchange: call.exchange
        )
    }

    /// A call that the browser held back, after its preflight or behind the answer.
    private func unanswered(_ call: PageCall, _ flow: Flow) -> Violation? {
        guard !isOfTheNetwork(call, flow), !flow.capture[call.exchange].isAnswerUnseen else { return nil }
        var evidence = [
            call.originEvidence,
            Evidence(
                place: Place(exchange: call.exchange, part: .responseStatus, name: ""),
                value: flow.capture[call.exchange].failure.map { Excerpt.start(of: $0) } ?? "no answer"
            ),
        ]
        if let preflight = preflight(of: call, flow), let response = flow.capture[preflight].response {
            evidence.append(flow.statusEvidence(of: preflight, note: "the preflight"))
            let fault = Permission.refusal(of: flow.capture[preflight], from: call.origin)
            // Asked and allowed, and no answer all the same: that is another fault, unless the browser keeps it from the page.
            guard let fault else {
                return isSaidToBe(call, flow) || isOver(call, flow)
                    ? Violation(
                        evidence,
                        explanation: Self.behindPreflight,
                        fix: Self.behindPreflightFix,
                        exchange: call.exchange
                    ) : nil
            }
            evidence.append(permission(response, preflight, fault))
        } else if !isSaidToBe(call, flow), !isOver(call, flow), call.exchange == flow.surroundings.order.last
        {
            // The recording may have ended before the answer came.
            return nil
        }
        return Violation(evidence, exchange: call.exchange)
    }

    private static let behindPreflight = """
        The browser asked whether it may send the request and was let. The answer itself did not reach the page: it does not name the page's origin, as answers of errors and of what stands \
        in front of a server often do not.
        """
    private static let behindPreflightFix = """
        Have every answer of the endpoint carry the permission, errors and those of a gateway as well: Access-Control-Allow-Origin with the page's origin, and \
        Access-Control-Allow-Credentials where the call has cookies. The server's log has what it answered.
        """

    private static let ofLogout = """
        A script asked the provider to end the user's session. The end-session endpoint is there for the browser itself: it answers with \
        pages and redirects, needs the provider's cookies, and allows no other origin to read any of it. The session may well go on.
        """
    private static let ofLogoutFix = """
        Send the browser there, by a link, a form or location.assign(…), with id_token_hint and post_logout_redirect_uri. A script may ask \
        the revocation endpoint, if the provider allows the page's origin; that ends tokens, and no session.
        """

    /// Of a page that an app shows at a scheme of its own.
    private static let ofAppFix = """
        Make the call by the app's native side (CapacitorHttp, Tauri's HTTP plug-in, a library of the system), which is bound to no \
        origin. Or allow the app's origin at the provider, exactly as it is sent; Entra and others register origins of the web alone.
        """

    private static let ofExtensionFix = """
        Name the provider's host among the host_permissions of the extension's manifest, and make the call from its service worker or its \
        own pages, not from a content script: then the browser asks nobody. A client secret has no place in an extension: where the \
        provider wants one, let a server exchange the code.
        """

    /// Entra lets the page read this one answer.
    private static let registered = """
        A page asked for tokens, and the redirect URI of this client is registered for a web app with a server: the provider exchanges its codes for no page, \
        and says so.
        """

    private func permission(_ response: RecordedResponse, _ exchange: Int, _ fault: String) -> Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .responseHeader, name: "Access-Control-Allow-Origin"),
            value: response.headers.first("access-control-allow-origin").map {
                Masking.shown($0, of: "access-control-allow-origin")
            } ?? "missing",
            note: fault
        )
    }

    /// Reasons that have nothing to do with origins: no connection, one that ended within the request, cancelled by the page.
    private func isOfTheNetwork(_ call: PageCall, _ flow: Flow) -> Bool {
        let exchange = flow.capture[call.exchange]
        guard let words = exchange.failure else { return false }
        return TransportFailure(words) != nil || exchange.isRequestCut || call.answer?.isCancelled ?? false
    }

    private func isSaidToBe(_ call: PageCall, _ flow: Flow) -> Bool {
        flow.capture[call.exchange].failure?.lowercased().containsBytes("cors") ?? false
    }

    /// Whether the browser says that no answer will come: a request that only waits has no error yet.
    private func isOver(_ call: PageCall, _ flow: Flow) -> Bool {
        guard let words = flow.capture[call.exchange].failure?.lowercased() else { return false }
        return ["net::err_failed", "ns_error_dom_bad_uri", "failed to fetch", "networkerror", "load failed"]
            .contains(where: words.containsBytes)
    }

    // MARK: - Preflights

    /// The last preflight of a call, at most ten seconds before it.
    private func preflight(of call: PageCall, _ flow: Flow) -> Int? {
        let list = flow.surroundings.preflights(to: call.url.host ?? "")
        let start = flow.capture[call.exchange].startedAt
        let end = upperBound(of: start, in: list, flow)
        return list[..<end].reversed().prefix(20).first { index in
            flow.capture[index].request.url.withoutQuery == call.url.withoutQuery
                && flow.capture[index].request.headers.first("origin") == call.origin
                && start - flow.capture[index].startedAt <= .seconds(10)
        }
    }

    /// A preflight of the code's exchange that was refused, after which the browser sent nothing.
    private func lonePreflight(_ calls: [PageCall], _ flow: Flow) -> Violation? {
        guard let login = flow.logins.last, let response = login.response, response.code != nil,
            login.tokenRequests.isEmpty,
            let target = login.request.redirectURI.map({ RecordedURL($0) })
        else { return nil }
        let start = flow.capture[response.exchange].startedAt
        let provider = flow.providerFacts
        for host in flow.providerHosts.sorted().prefix(8) {
            let list = flow.surroundings.preflights(to: host)
            for index in list[upperBound(of: start, in: list, flow)...].prefix(20) {
                let exchange = flow.capture[index]
                guard let sent = exchange.request.headers.first("origin"), isOfLogin(sent, target),
                    exchange.request.headers.first("access-control-request-method")?.uppercased() == "POST",
                    provider.isTokenEndpoint(exchange.request.url),
                    let answer = exchange.response, let fault = Permission.refusal(of: exchange, from: sent)
                else { continue }
                return Violation(
                    [
                        Evidence(
                            place: Place(exchange: index, part: .requestHeader, name: "Origin"),
                            value: Masking.shown(sent, of: "origin"),
                            note: "the page"
                        ),
                        flow.statusEvidence(of: index, note: "the preflight; no request followed"),
                        permission(answer, index, fault),
                    ],
                    fix: target.isWeb ? nil : Self.ofAppFix,
                    exchange: index
                )
            }
        }
        return nil
    }

    /// Whether a page of this origin may be the one that a redirect URI brings the code to: its own, or one of an app.
    ///
    /// An app waits at another scheme or at a claimed address. Capacitor shows its pages at a scheme of its own on iOS, and at localhost on
    /// Android.
    private func isOfLogin(_ text: String, _ target: RecordedURL) -> Bool {
        let page = RecordedURL(text)
        guard let origin = page.origin else { return PageCall.isOfApp(text) }
        return origin == target.origin || !target.isWeb && page.isOnLoopback
    }

    /// How many of a list in order of time began at a time or before.
    private func upperBound(of time: Timestamp, in list: [Int], _ flow: Flow) -> Int {
        list.partitionPoint { flow.capture[$0].startedAt > time }
    }
}
