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
            guard response.target.isWeb else { continue }
            if let stop = PolicyStop.violation(of: response, in: flow) { return .violated(stop) }
            guard let failure = failure(of: response, flow) else { continue }
            let isHungUp = isHungUp(response, flow)
            guard isHungUp || !flow.receivedCodes.contains(response) else { continue }
            guard response.error == nil else {
                // What went wrong had done so before.
                errorLost = errorLost ?? lostError(response, failure, flow)
                continue
            }
            return .violated(violation(response, failure, isHungUp: isHungUp, flow))
        }
        return (landing(in: flow) ?? errorLost).map { .violated($0) } ?? .holds
    }

    /// The address to which a server sent the browser on, with a code or tokens of its own for the app.
    private func landing(in flow: Flow) -> Violation? {
        guard flow.ending == .failure,
            let callback = flow.authorizationResponses.last(where: { $0.callback != nil })?.callback,
            let landing = UnreachedLanding.of(callback, in: flow.surroundings),
            let location = flow.capture[callback].response?.location
        else { return nil }
        return Violation(
            [
                Evidence(
                    place: Place(exchange: callback, part: .responseLocation, name: ""),
                    // What it hands on are secrets by names of the server's own (Supabase's provider_token).
                    value: Masking.shown(RecordedURL(location).withoutQuery, of: "url"),
                    note: "with a code or tokens behind it"
                ),
                Evidence(
                    place: Place(exchange: landing, part: .responseStatus, name: ""),
                    value: flow.capture[landing].failure.map { Excerpt.start(of: $0) } ?? "no answer"
                ),
            ],
            explanation: Self.landing,
            fix: Self.landingFix,
            title: "The browser could not reach the address that it was sent on to",
            exchange: landing
        )
    }

    private static let landing = """
        The server that signs in for the app took the provider's answer and sent the browser on to the app, with what it made of it. The \
        address that it was told to send it to did not respond: for the app the login is lost.
        """
    private static let landingFix = """
        Have the app begin the login with an address that a browser can reach (redirect_to, return URL): a name that stands for the app's \
        own window alone (https://tauri.localhost) is none. Listen on http://127.0.0.1 at a port, or register a scheme, and name it to the \
        server.
        """

    private func violation(
        _ response: AuthorizationResponse,
        _ failure: Evidence,
        isHungUp: Bool,
        _ flow: Flow
    ) -> Violation {
        var violation = Violation([], exchange: failure.place.exchange)
        let delivery = delivery(of: response, flow)
        // The connection stood; whoever had it hung up, or was silent.
        if isHungUp || TransportFailure(failure.value) == .unanswered
            || response.callback != nil && Self.waits.contains(where: failure.value.hasPrefix)
        {
            violation.evidence = delivery + [failure]
            violation.explanation = isHungUp ? Self.hangUp : Self.silence
            violation.fix =
                "Look into the app's log, and whether its server was restarted, at the time of this request."
            violation.title = "The app took the request to the redirect URI and did not answer it"
        } else if let upgrade = upgrade(of: response, flow) {
            violation.evidence = delivery + [upgrade, failure]
            violation.explanation = Self.upgraded
            violation.fix =
                response.target.isOnLoopback
                ? Self.upgradedFix : Self.upgradedHostFix
        } else {
            violation.evidence = delivery + [failure]
            if response.target.isOnLoopback {
                violation.fix = Self.fix(forLoopback: response.target, TransportFailure(failure.value))
            }
        }
        return violation
    }

    private static func fix(forLoopback target: RecordedURL, _ failure: TransportFailure?) -> String {
        // Somebody listened.
        if failure == .certificate { return certificateFix }
        if failure == .handshake { return handshakeFix }
        let isWithoutPort = target.port == 80 && target.authority?.hasSuffix(":80") == false
        return isWithoutPort ? withoutPortFix : loopbackFix
    }

    private static let certificateFix = """
        Something listens there, with a certificate that the browser does not trust: have the machine trust that of the development server (dotnet dev-certs https --trust, mkcert -install), issued for the name \
        that the redirect URI has. An app without a server of its own listens at http://127.0.0.1 instead, which needs none (RFC 8252, section 7.3).
        """
    private static let handshakeFix = """
        Something listens there, and does not speak TLS as the browser does: most likely it speaks plain http. Have the redirect URI begin with http:// where it is at this machine, in both requests and at the \
        provider, or have the listener use TLS.
        """

    private static let loopbackFix = """
        See that the app's listener runs on that very port and is not stopped before the answer comes, and that it listens at the address which the browser takes (localhost is ::1 to some). A program on \
        another machine than the browser, by ssh, in a container or a codespace, is not reached there: forward the port, or sign in by the device grant (az and aws sso login: --use-device-code).
        """
    private static let withoutPortFix = """
        The redirect URI names no port, so that the browser asks at port 80. Put the port of the app's listener into redirect_uri, in the authorization request and the token request alike; providers take \
        any port of a loopback address from native apps (RFC 8252, section 7.3).
        """

    private func lostError(_ response: AuthorizationResponse, _ failure: Evidence, _ flow: Flow) -> Violation
    {
        Violation(
            delivery(of: response, flow) + [failure],
            severity: .note,
            explanation: Self.errorLost,
            exchange: failure.place.exchange
        )
    }

    /// Where the provider sent the browser.
    private func delivery(of response: AuthorizationResponse, _ flow: Flow) -> [Evidence] {
        [response.deliveredBy.flatMap { flow.locationEvidence(of: $0) }].compactMap(\.self)
    }

    private static let errorLost = """
        The provider's answer was an error, and the address it was sent to did not respond: the user saw the browser's own page of errors in place of \
        the app's. The login had failed before.
        """

    private static let hangUp = """
        The app's server took the callback, went to the token endpoint with its code, and hung up on the browser without an answer: it broke \
        down while it worked on the login.
        """

    private static let upgraded = """
        The provider sent the browser to an http address, and the browser made https of it by itself before it asked: some server once \
        told it to do so for this host (HSTS), or a setting does. The app listens for http there, so no connection came about, and the \
        code is lost with the request.
        """
    private static let upgradedFix = """
        Have the app use http://127.0.0.1 as its redirect URI, which no such rule is kept for. On this machine take the host off the \
        browser's list (chrome://net-internals/#hsts, Delete domain security policies), and see that nothing that runs at localhost sends \
        Strict-Transport-Security.
        """

    private static let upgradedHostFix = """
        Register and send the redirect URI with https, and let the app be reached there.
        """

    private static let silence = """
        The provider's answer was on its way, and the app's listener took the connection; then it hung up, or was silent until the browser gave \
        up or the recording ended. The provider has done its part; the code is lost with the request.
        """

    /// Whether the app's server brought the code of an answer that failed (``failure(of:_:)``) to the token endpoint, and never answered
    /// the browser.
    private func isHungUp(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        guard let callback = response.callback, let code = response.code,
            !flow.receivedCodes.answered.contains(code)
        else { return false }
        return flow.tokenRequests.contains {
            $0.code == code && flow.surroundings.isHungUp(callback, during: $0.exchange)
        }
    }

    private func failure(of response: AuthorizationResponse, _ flow: Flow) -> Evidence? {
        if let callback = response.callback {
            return failure(at: callback, flow)
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
            if exchange.request.method == "CONNECT",
                isHost(url.host, of: response.target), url.port == response.target.port,
                let failure = failure(at: index, flow)
            {
                return failure
            }
        }
        return nil
    }

    /// Why a request, or a connection, got no answer; nil where one may have come, nobody waited for it, or the request did not
    /// come to its end.
    private func failure(at index: Int, _ flow: Flow) -> Evidence? {
        let exchange = flow.capture[index]
        guard exchange.response == nil, let reason = exchange.failure, !Self.isCancelled(reason),
            !RecorderRefusal.isOne(exchange), !exchange.isAnswerUnseen, !exchange.isRequestCut,
            !FailedRequest.isDeparture(reason) || exchange.endedAt - exchange.startedAt >= Self.patience
        else { return nil }
        return Evidence(place: Place(exchange: index, part: .responseStatus, name: ""), value: reason)
    }

    /// How a recorder calls an answer that was waited for in vain.
    private static let waits = [
        AnswerLoss.clientLeft, AnswerLoss.clientReset, AnswerLoss.captureEnded, AnswerLoss.recordingEnded,
    ]

    /// A browser that leaves sooner does what its user wants, as one that aborts a navigation.
    private static let patience = Duration.seconds(10)

    /// Whether a connection to this host may be the one to a redirect URI.
    ///
    /// Packets have the address alone, of which browsers try that of IPv4 for `localhost` in any case.
    private func isHost(_ host: String?, of target: RecordedURL) -> Bool {
        host == target.host || host == "127.0.0.1" && target.host?.lowercased() == "localhost"
    }

    /// The browser's own redirect of the callback from http to https, as it writes one down.
    private func upgrade(of response: AuthorizationResponse, _ flow: Flow) -> Evidence? {
        guard response.target.scheme?.lowercased() == "http",
            let failed = response.callback ?? response.deliveredBy
        else { return nil }
        let near = flow.surroundings.order[max(0, flow.surroundings.position[failed] - 2)...].prefix(4)
        return near.lazy.compactMap { index -> Evidence? in
            let exchange = flow.capture[index]
            let name = "Non-Authoritative-Reason"
            guard exchange.request.url.host == response.target.host,
                let answer = exchange.response, let reason = answer.headers.first(name),
                let location = answer.location.map({ exchange.request.url.resolving($0) }),
                location.scheme == "https", location.host == response.target.host
            else { return nil }
            return Evidence(
                place: Place(exchange: index, part: .responseHeader, name: name),
                value: Masking.shown(reason, of: "header"),
                note: "the browser's own redirect to https"
            )
        }.first
    }

    /// Navigations that somebody called off: an app that takes the address to itself does.
    private static func isCancelled(_ reason: String) -> Bool {
        let reason = reason.lowercased()
        // A circle was reached again and again.
        return
            (StoppedLoop.gaveUp + [
                "aborted", "cancel", "blocked_by_client", "blocked by client", "unknown_url_scheme",
            ]).contains(where: reason.containsBytes)
    }
}
