import Captures
import Flows
import OAuth

/// The provider refused the login request with an error that no other rule has anything to say of.
///
/// A symptom: it repeats what the provider said.
struct AuthorizationError: Rule {
    static let info = RuleInfo(
        id: "authorization-error",
        title: "The provider refused the login request",
        severity: .error,
        isSymptom: true,
        explanation: """
            The provider answered the authorization request with an error, at the redirect URI or on a page of its own. What it says is all \
            that the capture knows of the reason.
            """,
        fix: """
            Go by the error's name and text; the provider's documentation explains its own codes, and its log often says more than it tells \
            the browser.
            """,
        badExample: """
            302 Location: https://app.example/callback?error=invalid_request&error_description=…&state=…
            """,
        goodExample: """
            302 Location: https://app.example/callback?code=…&state=…
            """,
        specifications: [.rfc(6749, "4.1.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let attempts = flow.loginAttempts + flow.attemptsWithoutRequest
        // An app that begins anew behind every error is answered the same again.
        lazy var told = explainedAnswers(to: attempts, flow)
        for attempt in attempts {
            if let lost = MistakenEndpoint.withoutItsQuery(attempt, flow) { return .violated(lost) }
            guard let refusal = refusal(of: attempt, flow), !isExplained(refusal, of: attempt, flow),
                refusal.channel != .delivered || !told.contains([refusal.error, refusal.text])
            else { continue }
            return .violated(
                MistakenEndpoint.ofVersionOne(refusal, attempt)
                    ?? MistakenEndpoint.lostQuery(refusal, attempt, flow)
                    ?? violation(refusal, of: attempt, flow)
            )
        }
        let other =
            stoppedInFront(flow) ?? HandedRefusal.violation(in: flow)
            ?? DeviceRefusal.violation(in: flow) { isExplained($0, flow) }
            ?? LogoutRefusal.violation(in: flow) { isExplainedLogout($0, flow) }
            ?? UnrequestedRefusal.violation(in: flow) ?? ForgeRockRefusal.violation(in: flow)
        return other.map { .violated($0) } ?? .holds
    }

    private func violation(_ refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow) -> Violation {
        let uri = attempt.response?.parameters.parameter("error_uri").map { Evidence($0) }
        let evidence = [refusal.evidence(), uri].compactMap(\.self)
        guard attempt.request != nil else {
            let known = ProviderWords.meaning(of: refusal.text, by: flow.provider)
            return Violation(
                evidence,
                explanation: known?.explanation ?? UnrequestedRefusal.explanation,
                fix: known?.fix ?? UnrequestedRefusal.fix,
                exchange: refusal.exchange
            )
        }
        if refusal.channel == .page, refusal.exchange == attempt.exchange,
            let unset = UnsetSetting(at: attempt.exchange, in: flow)
        {
            return Violation(
                [unset.evidence, refusal.evidence()],
                saying: UnsetSetting.words,
                exchange: attempt.exchange
            )
        }
        let told = ToldRefusal.of(refusal, of: attempt, in: flow)
        return Violation(
            evidence + (told?.evidence ?? []),
            saying: told?.words,
            exchange: refusal.exchange
        )
        .toldOfFront(in: flow)
    }

    /// Some firewalls answer with a page and success: the last one that the login came to.
    private func stoppedInFront(_ flow: Flow) -> Violation? {
        guard flow.ending != .success else { return nil }
        return flow.loginAttempts.lazy.compactMap { attempt -> Violation? in
            guard attempt.response == nil, let request = attempt.request,
                let page = ProviderPages.of(request, in: flow).last,
                let response = flow.capture[page].response, response.isSuccessful,
                FrontRefusal(of: page, in: flow) != nil
            else { return nil }
            let words = PageText.start(of: response.body)
            return Violation(
                [
                    flow.statusEvidence(of: page),
                    words.isEmpty
                        ? nil
                        : Evidence(
                            place: Place(exchange: page, part: .responseBody, name: ""),
                            value: Masking.shown(words, of: "body")
                        ),
                ]
                .compactMap(\.self),
                exchange: page
            )
            .toldOfFront(in: flow)
        }.first
    }

    /// Whether a rule that knows why a provider refuses a request tells of this one.
    private func isExplained(_ exchange: Int, _ flow: Flow) -> Bool {
        OtherFindings.refusedDevices.tell(of: exchange, in: flow)
    }

    /// Whether a rule of the logout's stage tells of this one, as more than a note.
    private func isExplainedLogout(_ exchange: Int, _ flow: Flow) -> Bool {
        OtherFindings.logouts.tell(of: exchange, in: flow) { $0.severity != .note }
    }

    private func refusal(of attempt: LoginAttempt, _ flow: Flow) -> RequestRefusal? {
        if attempt.response != nil { return RequestRefusal(delivered: attempt.response) }
        guard let request = attempt.request else { return nil }
        if let refusal = attempt.refusal, isTold(refusal, request, flow) { return refusal }
        // After the user did something: only what names an error of the protocol, not a wrong password.
        let pages = ProviderPages.of(request, in: flow)
        return pages.lazy.compactMap { page in
            flow.refusal(on: [page], redirectURI: request.redirectURI)
        }.first { isTold($0, request, flow) && ($0.isOAuthError || $0.text.containsBytes("AADSTS")) }
            ?? SignInEnd.refusal(on: pages, in: flow) ?? RefusedWindow.refusal(of: attempt, in: flow)
    }

    /// Told to the user by the provider, or to the app for what it asked.
    private func isTold(_ refusal: RequestRefusal, _ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        guard (refusal.status ?? 0) < 500, refusal.status != 429 else { return false }
        if refusal.isOfTheRequest { return true }
        // Where nobody knows the redirect URI, another host may be the app, told of the user's own no.
        return refusal.channel == .page
            && (request.redirectURI != nil
                || flow.capture[refusal.exchange].request.url.host == request.endpoint.host)
    }

    /// Whether a rule that knows the reason points at the same place.
    private func isExplained(_ refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow) -> Bool {
        // What was registered is wrong in the request itself, pushed or not, whatever the refusal says.
        let asked = Set(attempt.parameters.items.map(\.place.exchange) + [attempt.exchange])
        let isRegistrations = OtherFindings.registrations.tell(of: flow) { violation in
            violation.evidence.contains { asked.contains($0.place.exchange) }
        }
        if isRegistrations { return true }
        let redirect = flow.surroundings.redirectedFrom[refusal.exchange]
        return OtherFindings.refusedRequests.tell(of: flow) { violation in
            violation.evidence.contains { evidence in
                evidence.place == refusal.place
                    || evidence.place.exchange == refusal.exchange
                        && [.responseBody, .responseStatus].contains(evidence.place.part)
                    // The text beside the error's name, in the address of the provider's page.
                    || evidence.place.exchange == refusal.exchange
                        && (refusal.exchange != attempt.exchange || refusal.place.part == .responseLocation)
                        && refusal.channel == .page
                        && evidence.place.part == refusal.place.part
                    // Told better by the page that the redirect leads to.
                    || refusal.channel == .page && refusal.place.part == .responseLocation
                        && evidence.place.exchange.flatMap { flow.surroundings.redirectedFrom[$0] }
                            == refusal.exchange
                    // Told already by the redirect to the page.
                    || redirect != nil && evidence.place.exchange == redirect
                        && evidence.place.part == .responseLocation
            }
        }
    }

    /// The answers to all attempts of which a rule that knows the reason tells.
    private func explainedAnswers(to attempts: [LoginAttempt], _ flow: Flow) -> Set<[String?]> {
        Set(
            attempts.compactMap { attempt in
                guard let answer = RequestRefusal(delivered: attempt.response),
                    isExplained(answer, of: attempt, flow)
                else { return nil }
                return [answer.error, answer.text]
            }
        )
    }
}
