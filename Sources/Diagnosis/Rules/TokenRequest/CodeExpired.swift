import Captures
import Flows
import OAuth

/// The code lay around for longer than this provider keeps codes, and was refused then.
///
/// Codes live for a minute or a few (RFC 6749, section 4.1.2, allows ten at most). Time is measured by the
/// provider's own clock where both of its answers carry a date.
struct CodeExpired: Rule {
    static let info = RuleInfo(
        id: "code-expired",
        title: "The code was exchanged too late",
        severity: .error,
        explanation: """
            Between the provider's redirect with the code and the token request more time passed than a code lives at this provider, so it \
            was refused.
            """,
        fix: """
            Exchange the code as soon as the callback has it. Look for what waits in between: a page the user has to confirm, a queue, an app \
            that sleeps in the background, a debugger.
            """,
        badExample: """
            09:15:00  302 → https://app.example/callback?code=…
            09:27:10  POST /token  grant_type=authorization_code&code=…  → 400 invalid_grant
            """,
        goodExample: """
            09:15:00  302 → https://app.example/callback?code=…
            09:15:01  POST /token  grant_type=authorization_code&code=…  → 200
            """,
        specifications: [.rfc(6749, "4.1.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let provider = flow.providerFacts
        var seen: Set<String> = []
        // Whose answers never came: the refusal is that of the next one.
        var lost: [String: TokenRequest] = [:]
        return Verdict.firstViolation(among: flow.redemptions) { login, request in
            guard let code = request.code else { return .holds }
            guard !request.isAnswerLost else {
                if !seen.contains(code), lost[code] == nil { lost[code] = request }
                return .holds
            }
            guard seen.insert(code).inserted,
                request.isRefused(
                    with: "invalid_grant",
                    "bad_verification_code",
                    "invalid_code",
                    "expired_code"
                ) || isRefusedInOtherWords(request), !isSaidOfAnotherCause(request)
            else { return .holds }
            guard let response = login.response else {
                return .abstains("when the code was delivered is not in the capture")
            }
            let first = lost[code] ?? request
            let (elapsed, clock) = elapsed(from: response, to: first, provider, flow)
            let lifetime = CodeLifetime(
                of: flow.provider,
                authorization: login.request.endpoint,
                token: flow.capture[request.exchange].request.url
            )
            guard elapsed > lifetime.seconds else { return .holds }
            let age = Evidence(
                place: Place(exchange: first.exchange, part: .timing, name: "age of the code"),
                value: "\(elapsed) s",
                note: "by \(clock); codes of \(lifetime.provider) live for \(lifetime.seconds) s"
            )
            let sent = first.parameters.parameter("code").map {
                Evidence($0, note: "sent \(elapsed) s later")
            }
            let evidence = [delivery(of: response, flow), sent, age, request.answer.evidence()]
            return .violated(Violation(evidence.compactMap(\.self), exchange: first.exchange))
        }.or(stated(in: flow))
    }

    /// The code where it is seen first, in the redirect: the callback itself may be what was late.
    private func delivery(of response: AuthorizationResponse, _ flow: Flow) -> Evidence? {
        response.parameter("code").map { code in
            var delivered = Evidence(code, note: "delivered")
            if let page = response.deliveredBy, flow.capture[page].response?.location != nil {
                delivered.place = Place(exchange: page, part: .responseLocation, name: "code")
            }
            return delivered
        }
    }

    /// GoTrue has a name for it, and delivers codes of its own.
    private func stated(in flow: Flow) -> Violation? {
        guard let request = StatedGrantFault.ofCode(in: flow, .codeExpired),
            let code = request.parameters.parameter("code"), !code.value.isEmpty
        else { return nil }
        return Violation(
            [
                Evidence(code), request.answer.evidence(note: "in the provider's words"),
            ],
            exchange: request.exchange
        )
    }

    /// Whether an answer without an error of the specification says that it is the code that is refused (MyInfo, Twitch).
    private func isRefusedInOtherWords(_ request: TokenRequest) -> Bool {
        guard request.answer.error == nil, request.isGrantRefused,
            let message = request.answer.parameters["message"]
        else { return false }
        let words = message.asciiLowercased()
        return ["authorization code", "authorisation code", "authcode", "auth code"].contains(
            where: words.containsBytes
        )
    }

    /// Whether the provider's own words name another cause than the age of the code, which then tells nothing.
    private func isSaidOfAnotherCause(_ request: TokenRequest) -> Bool {
        switch StatedGrantFault(request) {
        case .verifierMissing, .verifierWrong, .otherClient: true
        case .codeExpired: false
        case .refreshTokenUsed, nil:
            RefusedGrant.isCalledUsed(request) && !request.answer.errorText.containsBytes("expired")
        }
    }

    /// Whole seconds, and whose clock they are of.
    private func elapsed(
        from response: AuthorizationResponse,
        to request: TokenRequest,
        _ provider: ProviderFacts,
        _ flow: Flow
    ) -> (Int64, String) {
        if let page = response.deliveredBy, provider.has(flow.capture[page].request.url),
            let start = flow.capture[page].serverTime, let end = flow.capture[request.exchange].serverTime
        {
            return ((end - start).components.seconds, "the provider's clock")
        }
        let start =
            response.deliveredBy.map { flow.capture[$0].endedAt }
            ?? flow.capture[response.exchange].startedAt
        return ((request.startedAt - start).components.seconds, "the recorder's clock")
    }
}
