import Flows

/// A token stands in the query of a URL.
///
/// Queries are kept in the logs of servers and proxies and in histories, and travel in `Referer` (RFC 6750,
/// section 2.3; RFC 9700, section 4.3.2). Fragments stay in the browser, and a logout's `id_token_hint` is
/// meant to be there.
struct TokenInQuery: Rule {
    static let info = RuleInfo(
        id: "token-in-query",
        title: "A token travels in a URL query",
        severity: .warning,
        explanation: """
            A token is part of a URL's query. URLs are written into logs and histories and passed on as Referer, so whoever reads one of them \
            can use the token.
            """,
        fix:
            "Send access tokens in the Authorization header; let the provider deliver tokens from the token endpoint, or with response_mode=form_post.",
        badExample: "GET /userinfo?access_token=2YotnFZFEjr1zCsicMWpAA",
        goodExample: "GET /userinfo  Authorization: Bearer 2YotnFZFEjr1zCsicMWpAA",
        specifications: [.rfc(9700, "4.3.2"), .rfc(6750, "2.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let evidence = URLSecrets.find(in: flow, named: ["access_token", "id_token", "refresh_token"])
        return evidence.isEmpty ? .holds : .violated(Violation(evidence))
    }
}
