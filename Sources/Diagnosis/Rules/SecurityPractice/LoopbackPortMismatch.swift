import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The redirect URI of an app on this machine differs from the registered one by its port, and was refused.
///
/// An app gets whatever port is free, so a provider has to leave the port of a loopback address out of the
/// comparison (RFC 8252, section 7.3). Or the provider sends the response to another port than asked.
struct LoopbackPortMismatch: Rule {
    static let info = RuleInfo(
        id: "loopback-port-mismatch",
        title: "The loopback port is not the registered one",
        severity: .errorWhenRefused,
        explanation: """
            The app listens on this machine at a port of its own choice, and the provider wanted the one that is registered. Ports of loopback \
            addresses must not be compared.
            """,
        fix: """
            Register http://127.0.0.1 (or [::1]) without a port where the provider follows RFC 8252; many do so for the address only, not for \
            localhost. Otherwise register a fixed set of ports and listen on one of them.
            """,
        badExample: """
            registered: http://127.0.0.1:8400/callback
            GET /authorize?…&redirect_uri=http%3A%2F%2F127.0.0.1%3A51004%2Fcallback  → 400
            """,
        goodExample: """
            registered: http://127.0.0.1/callback
            GET /authorize?…&redirect_uri=http%3A%2F%2F127.0.0.1%3A51004%2Fcallback  → 302
            """,
        specifications: [.rfc(8252, "7.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts {
            guard let sent = attempt.parameter("redirect_uri") else { continue }
            let used = RecordedURL(sent.value)
            guard used.isOnLoopback, used.isWeb else { continue }
            if let violation = refusal(attempt, sent, used, flow) ?? detour(attempt, sent, used, flow) {
                return .violated(violation)
            }
        }
        return .holds
    }

    private func refusal(_ attempt: LoginAttempt, _ sent: Parameter, _ used: RecordedURL, _ flow: Flow)
        -> Violation?
    {
        guard let refusal = attempt.refusal, attempt.isRefused, refusal.channel != .delivered,
            let client = RegisteredClient.of(attempt["client_id"], before: attempt.exchange, in: flow),
            let uris = client.list("redirect_uris"), !uris.contains(sent.value),
            let registered = uris.prefix(100).first(where: { differByPort(RecordedURL($0), used) })
        else { return nil }
        var evidence = [Evidence(sent, note: Difference.note(expected: registered, seen: sent.value))]
        if let list = client.evidence("redirect_uris", note: "registered") { evidence.append(list) }
        return Violation(evidence + [refusal.evidence()], severity: .error, exchange: sent.place.exchange)
    }

    /// The response goes to a port where nobody listens.
    private func detour(_ attempt: LoginAttempt, _ sent: Parameter, _ used: RecordedURL, _ flow: Flow)
        -> Violation?
    {
        guard let request = attempt.request, attempt.response == nil else { return nil }
        for page in ProviderPages.of(request, in: flow) {
            let exchange = flow.capture[page]
            guard let location = exchange.response?.location else { continue }
            let target = exchange.request.url.resolving(location)
            guard differByPort(used, target),
                AuthorizationResponse.isResponse(target.queryItems, mode: .query)
            else { continue }
            return Violation(
                [
                    Evidence(sent, note: "asked for"),
                    Evidence(
                        place: Place(exchange: page, part: .responseLocation, name: ""),
                        value: Masking.shown(target.withoutQuery, of: "url"),
                        note: Difference.note(expected: sent.value, seen: target.withoutQuery)
                    ),
                ],
                exchange: page
            )
        }
        return nil
    }

    private func differByPort(_ one: RecordedURL, _ other: RecordedURL) -> Bool {
        one.scheme?.lowercased() == other.scheme?.lowercased() && one.host != nil && one.host == other.host
            && one.path.equalsBytes(of: other.path) && one.explicitPort != other.explicitPort
    }
}
