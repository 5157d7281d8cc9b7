import Captures
import Flows
import OAuth

/// The sign-in page was shown, and then nothing came: the window was closed, the user gave up, or the
/// recording stopped.
struct LoginAbandoned: Rule {
    static let info = RuleInfo(
        id: "login-abandoned",
        title: "The login page was opened and never completed",
        severity: .note,
        explanation: """
            The last thing the capture shows of this login is a page of the provider. No answer went to the app, and no error was reported: \
            closing a window leaves no trace in the traffic.
            """,
        fix: """
            Nothing in the traffic is wrong. If it was not meant to end here, look at the last page for a message to the user, and record on \
            until the browser is back at the app.
            """,
        badExample: """
            GET /authorize?… → 200 Sign in   (nothing after it)
            """,
        goodExample: """
            GET /authorize?… → 200 Sign in
            POST /sign-in → 302 https://app.example/callback?code=…
            """,
        specifications: [.rfc(6749, "4.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let violation = UnconfirmedDevice.violation(in: flow) { return .violated(violation) }
        guard flow.ending == .incomplete, let request = flow.authorizationRequests.last,
            isUnanswered(flow), flow.tokenRequests.isEmpty,
            !(flow.loginAttempts.last?.isRefused ?? false)
        else { return .holds }
        let repetitions = Repetitions(in: flow)
        let isCut = flow.exchanges.contains {
            isBroken($0, request, flow) && !repetitions.wentWell(after: $0)
        }
        guard !isCut else { return .holds }
        guard !request.isSilent, !isMessaged(request) else {
            return .abstains("the answer of this request would not be seen in the capture")
        }
        if isBrokenOff(flow.capture[request.exchange]),
            let anew = SupersededLogin(request, leftAt: request.exchange, in: flow)
        {
            return .violated(anew.violation(at: request, in: flow))
        }
        let pages = ProviderPages.of(ProviderPages.beginning(of: request, in: flow), in: flow).filter {
            !Self.isAutomatic(flow.capture[$0].request.url)
        }
        if let last = pages.last, let step = NativeStep(at: last, in: flow) {
            return flow.capture.isCutShort
                ? .abstains(Self.cutOff) : .violated(step.violation(at: last, of: pages, in: flow))
        }
        // The data that a page fetches comes after it.
        let trailing = pages.reversed().prefix { SignInAnswer.isData($0, flow) }
        // A wrong password is answered to the page's script with 401; a failing provider is another matter.
        guard trailing.allSatisfy({ SignInAnswer.isUsers(flow.capture[$0].response?.status ?? 0) }),
            let last = pages.dropLast(trailing.count).last, SignInAnswer.isPage(last, flow)
        else { return .holds }
        guard !carriesAnswer(last, request, flow), DeclinedConsent.refusal(in: flow) == nil else {
            return .holds
        }
        guard !flow.capture.isCutShort else { return .abstains(Self.cutOff) }
        if let unset = Self.ownPage(last, of: request, in: flow) { return .violated(unset) }
        let violation = LeftPage.violation(at: last, of: pages, in: flow)
        if let piledUp = PiledUpLogins.following(violation, in: flow) { return .violated(piledUp) }
        let isUntouched = violation.title == nil && !pages.contains { flow.isCredentialPost($0) }
        let anew = SupersededLogin(request, leftAt: last, in: flow)
        return .violated(anew?.following(violation, isUntouched: isUntouched) ?? violation)
    }

    /// The app's own server, which gives its page at whatever address, was asked in the provider's place.
    private static func ownPage(_ last: Int, of request: AuthorizationRequest, in flow: Flow) -> Violation? {
        guard last == request.exchange, let uri = request.redirectURI,
            let origin = RecordedURL(uri).origin, origin == flow.capture[last].request.url.origin,
            let unset = UnsetSetting(at: last, in: flow)
        else { return nil }
        return Violation([unset.evidence], saying: UnsetSetting.words, exchange: last)
    }

    private static let cutOff =
        "the capture is cut off: how the login went on may have stood in what is missing"

    // MARK: - Conditions

    /// Whether no login was answered but those that asked silently, in vain, before the one that was left.
    private func isUnanswered(_ flow: Flow) -> Bool {
        let silent = flow.logins.filter { $0.request.isSilent && $0.response?.error != nil }
        return flow.authorizationResponses.count == silent.count
    }

    /// Answers that a page hands on by script.
    private func isMessaged(_ request: AuthorizationRequest) -> Bool {
        request.isRelayed || request.parameters["response_mode"].map { $0.containsBytes("message") } ?? false
    }

    /// Whether a connection to the provider came to nothing: what the browser or an extension of its kept back, and what the page
    /// broke off itself, is none.
    private func isBroken(_ index: Int, _ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        let exchange = flow.capture[index]
        guard exchange.response == nil, let words = exchange.failure, let host = exchange.request.url.host,
            host == request.endpoint.host || flow.providerHosts.contains(host)
        else { return false }
        let lower = words.lowercased()
        return !["err_aborted", "err_blocked_by_client", "ns_binding_aborted", "cancelled"].contains(
            where: lower.containsBytes
        )
    }

    /// Whether the browser, or its user, did not wait for an answer.
    private func isBrokenOff(_ exchange: Exchange) -> Bool {
        guard exchange.response == nil else { return false }
        let words = exchange.failure?.lowercased() ?? ""
        return words.isEmpty || ["abort", "cancel"].contains(where: words.containsBytes)
    }

    /// What browsers and their tools ask every host for.
    private static func isAutomatic(_ url: RecordedURL) -> Bool {
        url.path == "/robots.txt" || url.path == "/favicon.ico"
            || url.path.hasPrefix("/.well-known/appspecific/") || url.path == "/.well-known/webauthn"
            || url.path == "/.well-known/change-password"
    }

    /// A page that sends the answer on by script or refresh, which the capture does not show as a redirect.
    private func carriesAnswer(_ page: Int, _ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        guard let uri = request.redirectURI, let body = flow.capture[page].response?.body,
            (body.size ?? 0) < 1 << 20, let text = body.text, text.containsBytes("code=")
        else { return false }
        return text.containsBytes(RecordedURL(uri).withoutQuery)
    }
}
