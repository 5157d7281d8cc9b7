import Captures
import Flows
import OAuth

/// The file has no cookie and no credential anywhere, though a browser went to a sign-in page: they were left out of it.
struct CaptureSanitized: Rule {
    static let info = RuleInfo(
        id: "capture-sanitized",
        title: "Cookies and credentials were stripped from this capture",
        severity: .note,
        explanation: """
            Not one request or answer in the file has a Cookie, Set-Cookie or Authorization header. Browsers leave them out of an export unless \
            told otherwise. What depends on a cookie or on such a header cannot be judged from this file.
            """,
        fix: """
            Export once more with sensitive data. Chrome and Edge: in the settings of the developer tools, under Network, allow to generate \
            HAR with sensitive data, and choose that export. Treat the file as a secret then.
            """,
        badExample: """
            GET /authorize?…   Host, User-Agent → 200 Content-Type      (and so on through the file)
            """,
        goodExample: """
            GET /authorize?…   Host, User-Agent, Cookie → 200 Content-Type, Set-Cookie
            """,
        specifications: [
            SpecificationReference(
                text: "HAR 1.2 headers",
                url: "http://www.softwareishard.com/blog/har-12-spec/#headers"
            ),
            SpecificationReference(
                text: "HAR 1.2 cookies",
                url: "http://www.softwareishard.com/blog/har-12-spec/#cookies"
            ),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard flow.surroundings.isSanitized, let request = flow.authorizationRequests.first else {
            return .holds
        }
        let creator = flow.capture.creator
        let name = [creator.name, creator.version].filter { !$0.isEmpty }.joined(separator: " ")
        return .violated(
            Violation([
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestHeader, name: "Cookie"),
                    value: "none",
                    note: "and none in any of \(flow.capture.count) exchanges"
                ),
                .computed(
                    "log.creator",
                    name.isEmpty ? "not named" : Excerpt.start(of: name, 80),
                    in: .requestHeader
                ),
            ])
        )
    }
}
