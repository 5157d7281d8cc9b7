import Captures
import Flows
import OAuth

/// The token response does not forbid caches to keep it.
///
/// RFC 6749, section 5.1, requires `Cache-Control: no-store` where tokens are.
struct TokenResponseCacheable: Rule {
    static let info = RuleInfo(
        id: "token-response-cacheable",
        title: "The token response may be cached",
        severity: .note,
        explanation:
            "The answer with the tokens lacks Cache-Control: no-store, so a cache on the way, or the browser's own, may keep them.",
        fix:
            "Have the provider, or the proxy before it, send Cache-Control: no-store with every token response.",
        badExample: """
            POST /token
            200 OK, Cache-Control: private
            {"access_token":"…"}
            """,
        goodExample: """
            POST /token
            200 OK, Cache-Control: no-store
            {"access_token":"…"}
            """,
        specifications: [.rfc(6749, "5.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.tokenRequests.filter(\.answer.isSuccess)) { request in
            guard request.accessToken != nil || request.answer.parameters.contains("id_token") else {
                return .holds
            }
            guard let headers = flow.capture[request.exchange].response?.headers, !headers.fields.isEmpty
            else {
                return .abstains("the headers of the token response were not saved")
            }
            let control = headers.all("cache-control")
            guard !control.contains(where: { $0.lowercased().containsBytes("no-store") }) else {
                return .holds
            }
            return .violated(
                Violation([
                    Evidence(
                        place: Place(
                            exchange: request.exchange,
                            part: .responseHeader,
                            name: "Cache-Control"
                        ),
                        value: control.isEmpty
                            ? "missing" : Masking.shown(control.joined(separator: ", "), of: "cache-control"),
                        note: "no-store is expected"
                    )
                ])
            )
        }
    }
}
