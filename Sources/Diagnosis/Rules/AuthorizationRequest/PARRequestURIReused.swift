import Captures
import Flows
import OAuth

/// A pushed request was used a second time.
///
/// Providers may, and mostly do, take it once (RFC 9126, section 4). A reload, the back button or a bookmark of the
/// provider's page uses it again.
struct PARRequestURIReused: Rule {
    static let info = RuleInfo(
        id: "par-request-uri-reused",
        title: "The pushed request was used a second time",
        severity: .error,
        explanation: """
            The browser came twice with the same request_uri. The first time it worked; after that the provider had thrown the request away \
            and refused the second.
            """,
        fix: "Push a new request for every attempt, and let nothing keep the URL of the provider's page.",
        badExample: """
            GET /authorize?client_id=shop&request_uri=urn%3A…abc  → 200, the sign-in page
            GET /authorize?client_id=shop&request_uri=urn%3A…abc  → 400
            """,
        goodExample: """
            GET /authorize?client_id=shop&request_uri=urn%3A…abc  → 200, the sign-in page
            GET /authorize?client_id=shop&request_uri=urn%3A…def  → 200, the sign-in page
            """,
        specifications: [.rfc(9126, "4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let chain = RedirectsOnward(flow)
        var first: [String: Parameter] = [:]
        for request in flow.authorizationRequests where chain.continues(request.exchange) == nil {
            // The client's own URL may be used as often as it likes.
            guard let uri = request.parameters.parameter("request_uri"), !RecordedURL(uri.value).isWeb,
                flow.capture[request.exchange].response != nil
            else { continue }
            let refusal = flow.refusal(of: request, chain)
            guard let earlier = first[uri.value] else {
                if refusal == nil { first[uri.value] = uri }
                continue
            }
            guard let refusal, refusal.isOfTheRequest else { continue }
            return .violated(
                Violation(
                    [
                        Evidence(earlier, note: "the first time: went on"), Evidence(uri, note: "once more"),
                        refusal.evidence(),
                    ],
                    exchange: request.exchange
                )
            )
        }
        return .holds
    }
}
