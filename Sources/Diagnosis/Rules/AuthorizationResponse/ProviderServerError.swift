import Captures
import Flows
import OAuth

/// An endpoint of the provider failed: a status of the 500s, or an error that says as much.
struct ProviderServerError: Rule {
    static let info = RuleInfo(
        id: "provider-server-error",
        title: "The provider failed internally",
        severity: .error,
        explanation: """
            The provider could not deal with the request for reasons of its own, and no later try of the same request went through. What the \
            app sent may have set it off, but an answer of this kind does not say so.
            """,
        fix: """
            Look the request up in the provider's log by its time and correlation id, or give both to whoever runs it. An app does well to try \
            once more after a moment.
            """,
        badExample: """
            POST /token → 500 Internal Server Error   X-Request-Id: 7f9c
            """,
        goodExample: """
            POST /token → 503 Service Unavailable
            POST /token → 200 {"access_token": …}
            """,
        specifications: [.rfc(6749, "4.1.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts + flow.attemptsWithoutRequest {
            if let evidence = failure(of: attempt, in: flow) {
                let isExpired = attempt.response?.error?.description == "authentication_expired"
                let assertion = evidence[0].place.exchange.flatMap {
                    BrokeredAssertion.evidence(at: $0, in: flow)
                }
                return .violated(
                    Violation(
                        evidence + (assertion.map { [$0] } ?? []),
                        saying: isExpired
                            ? Self.expired : assertion != nil ? BrokeredAssertion.words : nil,
                        exchange: evidence[0].place.exchange
                    )
                    .toldOfFront(in: flow)
                )
            }
        }
        // What is asked beside a login fails none; by itself it is all that went wrong.
        let isAlone = flow.ending == .failure && flow.loginAttempts.isEmpty && flow.tokenRequests.isEmpty
        let calls = ClientCall.all(in: flow).filter { call in
            !call.isRepaired
                && (isAlone || !["introspection", "revocation"].contains { call.purpose.hasPrefix($0) })
        }
        let answers = calls.map { ($0.answer, $0.purpose) } + userInfo(flow) + assertions(flow)
        let successes = Successes(among: answers, flow.surroundings.position)
        for (answer, purpose) in answers where Self.isFailure(answer) {
            guard !successes.isAny(of: purpose, behind: answer) else { continue }
            let said =
                answer.error.map { [answer.statusEvidence(), Evidence(place: $0.place, value: $0.text)] }
                ?? flow.evidence(of: answer)
            let evidence = said + correlation(answer.exchange, flow)
            return .violated(Violation(evidence, exchange: answer.exchange).toldOfFront(in: flow))
        }
        return failedLogout(flow).map { .violated($0) } ?? .holds
    }

    /// The last logout, where the provider broke down at it, and not the app that the browser was sent back to.
    private func failedLogout(_ flow: Flow) -> Violation? {
        guard let logout = LogoutCall.all(in: flow).last, case .refused(let place) = logout.course.end,
            let exchange = place.exchange, let status = flow.capture[exchange].response?.status,
            status >= 500, isWithProvider(at: exchange, logout, flow), !isExplainedLogout(exchange, flow)
        else { return nil }
        let evidence = [flow.statusEvidence(of: exchange, note: "of a logout")] + correlation(exchange, flow)
        return Violation(evidence, exchange: exchange).toldOfFront(in: flow)
    }

    /// Whether a rule of the logout's stage tells what is wrong with it: some providers say with 500 what they miss in one.
    private func isExplainedLogout(_ exchange: Int, _ flow: Flow) -> Bool {
        OtherFindings.logouts.tell(of: flow) { violation in
            violation.severity != .note && violation.evidence.contains { $0.place.exchange == exchange }
        }
    }

    /// Whether the browser, behind a logout, was at the host that it was asked at, or at another one of that site, where no app is.
    private func isWithProvider(at exchange: Int, _ logout: LogoutCall, _ flow: Flow) -> Bool {
        guard let host = flow.capture[exchange].request.url.host,
            let own = flow.capture[logout.call.exchange].request.url.host
        else { return false }
        if host == own { return true }
        let site = Site.of(own)
        let apps =
            flow.surroundings.authorizationRequests.compactMap(\.redirectURI)
            + (logout.course.wanted.map { [$0.value] } ?? [])
        return Site.of(host) == site && !apps.isEmpty
            && !apps.contains { RecordedURL($0).host.map(Site.of) == site }
    }

    /// Keycloak's words, in place of its page.
    private static let expired = Violation.Words(
        title: ExpiredSignIn.title,
        explanation: """
            Keycloak did not know the login any more when the user came back to its page: it had stood open for too long, or the user had signed \
            in in another tab meanwhile. It asks the app to begin anew.
            """,
        fix: """
            Begin a new login when this error comes back, as Keycloak's own adapters do. Where it comes at once, look for what loses Keycloak's \
            cookies; where users are slow, raise the realm's login timeout.
            """
    )

    /// Where the same request went through last, as far as one can tell: a token request that was saved without its form may be any.
    private struct Successes {
        private let position: [Int]
        private var last: [String: Int] = [:]
        private var lastOfTokens = -1

        init(among answers: [(answer: Answer, purpose: String)], _ position: [Int]) {
            self.position = position
            for (answer, purpose) in answers where answer.isSuccess {
                let place = position[answer.exchange]
                last[purpose] = max(last[purpose] ?? -1, place)
                if purpose.hasPrefix(Self.unsaved) { lastOfTokens = max(lastOfTokens, place) }
            }
        }

        private static let unsaved = "token "

        func isAny(of purpose: String, behind failure: Answer) -> Bool {
            let others =
                purpose == Self.unsaved
                ? lastOfTokens : purpose.hasPrefix(Self.unsaved) ? last[Self.unsaved] ?? -1 : -1
            return max(last[purpose] ?? -1, others) > position[failure.exchange]
        }
    }

    private static func isFailure(_ answer: Answer) -> Bool {
        // With 401 it is whoever asked that was refused, whatever the error is called (ServiceNow).
        guard let status = answer.status, status != 429, status != 401 else { return false }
        return status >= 500 || answer.error.map { names.contains($0.error) } ?? false
    }

    /// The last is what Keycloak calls all that it has no other name for.
    private static let names: Set<String> = ["server_error", "temporarily_unavailable", "unknown_error"]

    /// What MyInfo hands the app in the place of a name: a failure of its own, and that it is under maintenance.
    private static let numbers: Set<String> = ["500", "503"]

    private func userInfo(_ flow: Flow) -> [(Answer, String)] {
        flow.messages.compactMap {
            if case .userInfo(let call) = $0 {
                (call.answer, "userinfo \(call.token?.value ?? "")")
            } else {
                nil
            }
        }
    }

    /// What takes the place of the authorization endpoint in a login without redirects (FedCM, "Identity assertion endpoint").
    ///
    /// A no with a name is told as that.
    private func assertions(_ flow: Flow) -> [(Answer, String)] {
        HandedCredential.all(in: flow).filter { $0.refusal == nil }.compactMap(\.assertion)
            .map { ($0.answer, "identity assertion") }
    }

    // MARK: - The authorization endpoint

    private func failure(of attempt: LoginAttempt, in flow: Flow) -> [Evidence]? {
        if let response = attempt.response {
            guard let error = response.error,
                Self.names.contains(error.error)
                    || flow.provider == .myinfo && Self.numbers.contains(error.error),
                !ResponseTypeRefusal.isOfTheFlow(error.text)
            else { return nil }
            let isRepeated = flow.authorizationResponses.contains {
                $0.error == nil
                    && flow.surroundings.position[$0.exchange] > flow.surroundings.position[response.exchange]
            }
            guard !isRepeated else { return nil }
            return [Evidence(place: error.place, value: Masking.shown(error.text, of: "error"))]
                + correlation(response.exchange, flow)
        }
        // The provider's last page: what failed on the way to another one did no harm.
        guard let request = attempt.request,
            let page = ProviderPages.of(request, in: flow).last(where: {
                isNavigation($0, flow) || ForgeRockStep.isOne(flow.capture[$0])
            }),
            let response = flow.capture[page].response,
            response.status >= 500 || response.status >= 400 && flow.provider == .wso2 && isOfWSO2(response),
            // FranceConnect says with 500 that it does not know the address.
            RedirectURIRefusal.evidence(on: page, of: request, in: flow) == nil
        else { return nil }
        var evidence = [flow.statusEvidence(of: page)]
        let words = PageText.told(by: response.body)
        if !words.isEmpty {
            evidence.append(
                Evidence(
                    place: Place(exchange: page, part: .responseBody, name: ""),
                    value: Masking.shown(words, of: "body")
                )
            )
        }
        return evidence + correlation(page, flow)
    }

    /// WSO2 shows what its servlets throw on a page with 400.
    private func isOfWSO2(_ response: RecordedResponse) -> Bool {
        PageText.words(of: response.body).asciiLowercased().containsBytes("error occurred when processing")
    }

    /// What the browser itself went to, as against what its pages fetch.
    private func isNavigation(_ index: Int, _ flow: Flow) -> Bool {
        let exchange = flow.capture[index]
        if let mode = exchange.request.headers.first("sec-fetch-mode") { return mode == "navigate" }
        if flow.surroundings.messages[index] != nil || exchange.response?.location != nil { return true }
        return exchange.response?.body?.isPage ?? false
            || exchange.request.body?.essence == FormBody.mediaType
            || flow.surroundings.redirectedFrom[index] != nil
    }

    // MARK: - Correlation

    private static let headers = [
        "x-ms-request-id", "x-correlation-id", "x-request-id", "x-okta-request-id", "x-amzn-requestid",
        "request-id", "x-trace-id", "traceparent",
    ]

    private func correlation(_ index: Int, _ flow: Flow) -> [Evidence] {
        guard let headers = flow.capture[index].response?.headers else { return [] }
        return Self.headers.compactMap { name in
            headers.first(name).map {
                Evidence(
                    place: Place(exchange: index, part: .responseHeader, name: name),
                    value: Masking.shown($0, of: name)
                )
            }
        }.prefix(2).map { $0 }
    }
}
