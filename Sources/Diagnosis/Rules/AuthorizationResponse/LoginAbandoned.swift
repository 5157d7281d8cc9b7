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
        if let violation = unconfirmedCode(in: flow) { return .violated(violation) }
        guard flow.ending == .incomplete, let request = flow.authorizationRequests.last,
            flow.authorizationResponses.isEmpty, flow.tokenRequests.isEmpty,
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
                ? .abstains(Self.cutOff) : .violated(violation(at: last, step, of: pages, flow))
        }
        // The data that a page fetches comes after it.
        let trailing = pages.reversed().prefix { isData($0, flow) }
        // A wrong password is answered to the page's script with 401; a failing provider is another matter.
        guard trailing.allSatisfy({ Self.isUsers(flow.capture[$0].response?.status ?? 0) }),
            let last = pages.dropLast(trailing.count).last, isPage(last, flow)
        else { return .holds }
        guard !carriesAnswer(last, request, flow) else { return .holds }
        guard !flow.capture.isCutShort else { return .abstains(Self.cutOff) }
        let violation = violation(at: last, of: pages, flow)
        let isUntouched = violation.title == nil && !pages.contains { flow.isCredentialPost($0) }
        let anew = SupersededLogin(request, leftAt: last, in: flow)
        return .violated(anew?.following(violation, isUntouched: isUntouched) ?? violation)
    }

    private static let cutOff =
        "the capture is cut off: how the login went on may have stood in what is missing"

    /// `last`: the page at which the login was left; `pages`: those of the provider, in order of time.
    private func violation(at last: Int, of pages: [Int], _ flow: Flow) -> Violation {
        let posted = pages.filter { flow.isCredentialPost($0) }
        let body = flow.capture[last].response?.body
        // Before anything was sent, a box for errors is one of the page's own.
        let alert = posted.isEmpty ? nil : PageText.alert(of: body)
        let words = alert ?? PageText.start(of: body)
        let session = pages.last { ForgeRockStep.session(in: flow.capture[$0]) != nil }
        var evidence = [flow.urlEvidence(of: last, note: "the last page of the provider")]
        if !words.isEmpty {
            evidence.append(
                Evidence(
                    place: Place(exchange: last, part: .responseBody, name: ""),
                    value: Masking.shown(words, of: "body"),
                    note: alert.map { _ in "what the page tells the user" }
                )
            )
        }
        evidence.append(session.map { signedIn(at: $0, flow) } ?? entered(posted, flow))
        let errors = posted.isEmpty ? nil : errors(of: pages, flow)
        if let errors { evidence.append(errors) }
        // Its own answer to what was entered, not a later page of the sign-in.
        // A message without it may also say where the user finds a code.
        let asksAgain = ErrorPage.asksForPassword(body?.bytes ?? [])
        let isTurnedAway =
            alert != nil && asksAgain && posted.last.map { answers(last, $0, flow) } ?? false
        let hasStayed = session.map { self.hasStayed(at: last, since: $0, pages, flow) } ?? false
        let told =
            alert.flatMap { Self.words(of: $0, flow) }
            ?? (isTurnedAway
                ? Self.turnedAway
                : hasStayed
                    ? Self.stayed
                    : errors != nil || isRefused(posted.last, flow) ? Self.refused : nil)
        let isUnanswerable = !words.isEmpty && session == nil && !HTMLForm.isAsking(in: body?.bytes ?? [])
        return Violation(
            evidence,
            explanation: told?.explanation,
            fix: told?.fix ?? (isUnanswerable ? Self.unanswerableFix : nil),
            title: told?.title,
            exchange: last
        )
    }

    /// What the message that the user was shown means at this provider.
    private static func words(of alert: String, _ flow: Flow) -> Violation.Words? {
        if let expired = ExpiredSignIn.words(in: alert) { return expired }
        guard var known = ProviderWords.meaning(of: alert, by: flow.provider) else { return nil }
        known.title = turnedAway.title
        return known
    }

    /// Of a sign-in that the app makes itself: `last` is the step that it did not go beyond.
    private func violation(at last: Int, _ step: NativeStep, of pages: [Int], _ flow: Flow) -> Violation {
        let posted = pages.filter { flow.isCredentialPost($0) }
        let address = flow.urlEvidence(of: last, note: "the last step at the provider's API")
        let isRefused = step.told != nil && posted.last == last
        return Violation(
            [address, step.told, entered(posted, flow)].compactMap(\.self),
            explanation: isRefused ? Self.refused.explanation : NativeStep.explanation,
            fix: isRefused ? Self.refused.fix : NativeStep.fix,
            title: isRefused ? Self.refused.title : NativeStep.title,
            exchange: last
        )
    }

    private func signedIn(at session: Int, _ flow: Flow) -> Evidence {
        flow.statusEvidence(of: session, note: "the user is signed in: answered with a session")
    }

    private func entered(_ posted: [Int], _ flow: Flow) -> Evidence {
        .computed(
            "credentials",
            Self.times(posted.count),
            in: .requestBody,
            note: posted.last.map { exchange in
                "last in exchange \(exchange)"
                    + (flow.capture[exchange].response.map { ", answered \($0.status)" } ?? "")
            }
        )
    }

    /// Whether the browser stayed at a page after the sign-in: where none came after it the recording may have ended first, and where
    /// the endpoint was asked again the login went on.
    private func hasStayed(at last: Int, since session: Int, _ pages: [Int], _ flow: Flow) -> Bool {
        guard let place = pages.firstIndex(of: session) else { return false }
        let after = pages[(place + 1)...]
        return after.contains(last)
            && !after.contains {
                if case .authorizationRequest = flow.surroundings.messages[$0] { true } else { false }
            }
    }

    private static let unanswerableFix = """
        The last page has nothing to fill in: what it tells the user may be why the login ended there. If a script makes the rest of the page, record \
        on until the browser is back at the app.
        """

    private static let stayed = Violation.Words(
        title: "The user is signed in at the provider, which did not go on with the login",
        explanation: """
            The sign-in went well: ForgeRock answered it with a session. Its page then did not go back to the authorization endpoint, from where the app \
            would have got its answer, but stayed at one of the provider's own.
            """,
        fix: """
            See what became of goto, the address that the sign-in has to go back to: it has to be among the valid goto URLs of the realm's validation \
            service, no longer than that allows (2,000 characters by default), and not replaced by a default success URL.
            """
    )

    private static let turnedAway = Violation.Words(
        title: "The provider did not let the user in, and the login ended there",
        explanation: """
            The provider answered what the user entered with its page again and a message. Nothing came after it, so the app never got an answer.
            """,
        fix: """
            Go by the message on the page: wrong credentials, or an account that is locked, disabled or not confirmed yet, are mended at the \
            provider. The app's own requests are not the reason.
            """
    )

    private static let refused = Violation.Words(
        title: turnedAway.title,
        explanation: """
            The provider answered what the user entered with an error, and nothing came after it, so the app never got an answer.
            """,
        fix: """
            Look at the credentials first, then at the account at the provider: it may be locked, disabled or not confirmed yet, which the \
            provider's log says. The app's own requests are not the reason.
            """
    )

    /// What the last answer to a script that posted something says of it.
    private func errors(of pages: [Int], _ flow: Flow) -> Evidence? {
        pages.last { flow.capture[$0].request.method == "POST" }
            .flatMap { FormErrors.evidence(on: $0, in: flow) }
    }

    /// Whether a script's post of credentials was answered with an error of the user's.
    private func isRefused(_ post: Int?, _ flow: Flow) -> Bool {
        guard let post, let status = flow.capture[post].response?.status else { return false }
        return status >= 400 && Self.isUsers(status) && isData(post, flow)
    }

    /// Whether a page is the answer to a form, by way of a redirect at most.
    private func answers(_ page: Int, _ post: Int, _ flow: Flow) -> Bool {
        page == post || flow.surroundings.redirectedFrom[page] == post
    }

    // MARK: - A device

    /// The device's code was given out, and it asked for its tokens in vain until the recording ended.
    private func unconfirmedCode(in flow: Flow) -> Violation? {
        guard flow.ending == .incomplete, let grant = DeviceGrant.all(in: flow).last,
            let code = grant.userCode, let poll = grant.polls.last, !isThrottled(poll, flow)
        else { return nil }
        let times = grant.polls.count == 1 ? "once" : "\(grant.polls.count) times"
        // Whoever has it may confirm the device still.
        let masked = Masking.masked(code.value)
        var evidence = [
            Evidence(place: code.place, value: masked),
            poll.answer.evidence(note: "asked for the tokens \(times)"),
        ]
        let pages = flow.exchanges.filter { flow.surroundings.messages[$0] == nil && isPage($0, flow) }
        if let page = pages.last {
            let body = flow.capture[page].response?.body
            let alert = PageText.alert(of: body)
            let words = (alert ?? PageText.start(of: body)).replacingBytes(code.value, with: masked)
            evidence.append(
                Evidence(
                    place: Place(exchange: page, part: .responseBody, name: ""),
                    value: Masking.shown(words, of: "body"),
                    note: alert == nil ? "the last page of the provider" : "what the page tells the user"
                )
            )
        }
        return Violation(
            evidence,
            explanation: Self.unconfirmed,
            fix: Self.unconfirmedFix,
            title: "The device's code was not confirmed while it was recorded",
            exchange: poll.exchange
        )
    }

    /// Whether the device was told to wait last, and had not: that says nothing of the user.
    private func isThrottled(_ poll: TokenRequest, _ flow: Flow) -> Bool {
        guard poll.answer.error?.error == "slow_down",
            case .violated(let violation) = flow.verdict(of: DevicePollingTooFast())
        else { return false }
        return violation.severity != .note
    }

    private static let unconfirmed = """
        The provider gave the device a code for its user, and answered each question for the tokens that the user had not confirmed it. No error \
        was reported.
        """
    private static let unconfirmedFix = """
        Nothing in the traffic is wrong. If the code was entered, look at the provider's last page for a message to the user; record on until the \
        device has its tokens.
        """

    // MARK: - Conditions

    private static func times(_ count: Int) -> String {
        count == 0 ? "never posted" : count == 1 ? "posted once" : "posted \(count) times"
    }

    private static func isUsers(_ status: Int) -> Bool { status < 500 && status != 429 }

    /// Answers that a page hands on by script.
    private func isMessaged(_ request: AuthorizationRequest) -> Bool {
        request.isRelayed || request.parameters["response_mode"].map { $0.containsBytes("message") } ?? false
    }

    private func isPage(_ index: Int, _ flow: Flow) -> Bool {
        guard let response = flow.capture[index].response, response.body?.isPage ?? false,
            response.location == nil
        else { return false }
        if (200..<300).contains(response.status) { return true }
        // The form comes again with its message: Rails answers 422, others 400 or 401.
        return flow.isCredentialPost(index) && Self.isUsers(response.status) && response.status >= 400
            && response.body?.bytes.map(HTMLForm.isAsking) ?? false
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

    private func isData(_ index: Int, _ flow: Flow) -> Bool {
        guard let response = flow.capture[index].response else { return false }
        return response.location == nil && !(response.body?.isPage ?? false)
            && !SignInEnd.isRefusedNavigation(index, flow)
    }

    /// A page that sends the answer on by script or refresh, which the capture does not show as a redirect.
    private func carriesAnswer(_ page: Int, _ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        guard let uri = request.redirectURI, let body = flow.capture[page].response?.body,
            (body.size ?? 0) < 1 << 20, let text = body.text, text.containsBytes("code=")
        else { return false }
        return text.containsBytes(RecordedURL(uri).withoutQuery)
    }
}
