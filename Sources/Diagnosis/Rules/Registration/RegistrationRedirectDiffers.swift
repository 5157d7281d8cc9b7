import Captures
import Flows
import JSON
import OAuth

/// The login names a redirect URI that is none of those registered for its client within the capture.
///
/// Ports of loopback addresses are free (RFC 8252, section 7.3), and judged elsewhere.
struct RegistrationRedirectDiffers: Rule {
    static let info = RuleInfo(
        id: "registration-redirect-differs",
        title: "The login uses a redirect URI that was not registered",
        severity: .errorWhenRefused,
        explanation: """
            The client was registered with other redirect URIs than the one its login names. Providers compare them as strings, so one slash \
            or letter is enough to be refused.
            """,
        fix:
            "Use the registered string unchanged, from one place in the app for both requests; or register the one that is used.",
        badExample: """
            POST /register {"redirect_uris":["com.example.shop:/callback"]} → 201 {"client_id":"c1",…}
            GET  /authorize?client_id=c1&redirect_uri=com.example.shop://callback…
            """,
        goodExample: """
            POST /register {"redirect_uris":["com.example.shop:/callback"]} → 201 {"client_id":"c1",…}
            GET  /authorize?client_id=c1&redirect_uri=com.example.shop:/callback…
            """,
        specifications: [.rfc(7591, "2"), .rfc(9700, "2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard !flow.registrations.isEmpty else { return .holds }
        for request in flow.authorizationRequests {
            guard let used = request.parameters.parameter("redirect_uri"), !used.value.isEmpty,
                let id = request.clientID
            else { continue }
            let client = registered(id, at: request, flow)
            let registered = client?.list("redirect_uris") ?? []
            guard !registered.isEmpty, !registered.contains(where: { isSame($0, used.value) }) else {
                continue
            }
            let nearest = registered.prefix(50).max {
                $0.commonPrefixLength(with: used.value) < $1.commonPrefixLength(with: used.value)
            }
            let list = client?.evidence("redirect_uris")
            let note = nearest.map { Difference.note(expected: $0, seen: used.value) }
            return .violated(
                Violation(
                    [list, Evidence(used, note: note)].compactMap { $0 },
                    severity: isAccepted(request, flow) ? .warning : .error,
                    exchange: request.exchange
                )
            )
        }
        return .holds
    }

    /// The client as it was registered then; where the capture tells of it behind the login only, as it is told there.
    private func registered(_ id: String, at request: AuthorizationRequest, _ flow: Flow)
        -> RegisteredClient?
    {
        RegisteredClient.of(id, before: request.exchange, in: flow)
            ?? (flow.deletion(of: id, before: request.exchange) == nil
                ? flow.registrations.lazy
                    .filter { flow.providerFacts.registersClients(at: Site.of($0.endpoint.host ?? "")) }
                    .compactMap { RegisteredClient($0) }.first { $0.clientID == id }
                : nil)
    }

    private func isAccepted(_ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        let target = request.redirectURI.map { RecordedURL($0).normalizedWithoutQuery }
        return flow.authorizationResponses.contains {
            $0.target.normalizedWithoutQuery == target && $0.error == nil
        }
    }

    private func isSame(_ registered: String, _ used: String) -> Bool {
        if registered.equalsBytes(of: used) { return true }
        let (left, right) = (RecordedURL(registered), RecordedURL(used))
        let addresses = ["127.0.0.1", "[::1]"]
        return left.scheme?.lowercased() == "http" && right.scheme?.lowercased() == "http"
            && left.host == right.host && addresses.contains(left.host ?? "")
            && left.path.equalsBytes(of: right.path)
            && left.query.map(ByteText.init) == right.query.map(ByteText.init)
            && left.fragment.map(ByteText.init) == right.fragment.map(ByteText.init)
    }
}
