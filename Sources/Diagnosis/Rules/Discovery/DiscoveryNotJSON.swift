import Captures
import Flows
import OAuth

/// The well-known URL is answered with success, but what comes is no metadata: a page, nothing, or JSON about something else.
struct DiscoveryNotJSON: Rule {
    static let info = RuleInfo(
        id: "discovery-not-json",
        title: "The discovery URL answered with a page, not with metadata",
        severity: .error,
        explanation: """
            Something answered at the well-known URL, but not the provider: there is no JSON object with an issuer in the answer. Typical are \
            an app that answers every path with its start page, a tunnel's interstitial page, a captive portal, or a login wall.
            """,
        fix: """
            Ask the URL without cookies and look at what answers. Correct the issuer or its port, let the well-known path through to the \
            provider, or take the page before it away.
            """,
        badExample: """
            GET https://id.example/.well-known/openid-configuration → 200 text/html   <!doctype html><title>Shop</title>…
            """,
        goodExample: """
            GET https://id.example/.well-known/openid-configuration → 200 application/json   {"issuer":"https://id.example",…}
            """,
        specifications: [
            .openIDConnectDiscovery("4.2", "ProviderConfigurationResponse"), .rfc(8414, "3.2"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let read = Set(flow.serverMetadata.filter(\.isUsable).map(\.url.text))
        return Verdict.firstViolation(among: flow.serverMetadata) { document in
            let landing = landing(of: document, flow)
            guard let status = document.answer.status, (200..<300).contains(status) || landing != nil,
                !document.isUsable, let origin = document.url.origin,
                flow.capture[document.exchange].request.method == "GET"
            else { return .holds }
            // Another form of the URL gave what was wanted; a client that goes on may have it from anywhere there.
            let goesOn = flow.isAuthorizationAsked(after: document)
            let isReadElsewhen = read.contains(document.url.text)
            guard
                isReadElsewhen
                    || !flow.surroundings.latest.isDescribed(document)
                        && (!goesOn || !flow.surroundings.latest.describedOrigins.contains(origin))
            else { return .holds }
            let body = flow.capture[landing ?? document.exchange].response?.body
            guard let body, body.isRecorded, !body.isTruncated, body.remainingCoding == nil else {
                return isReadElsewhen
                    ? .holds : .abstains("the body of the discovery answer was not saved whole")
            }
            // A client that goes on has its endpoints from somewhere else; one that tried again, or another, was given them.
            let severity: Severity? = goesOn || isReadElsewhen ? .note : nil
            return .violated(
                Violation(evidence(document, landing ?? document.exchange, body, flow), severity: severity)
                    .toldOfFront(in: flow)
            )
        }
    }

    /// The page that redirects lead to from a well-known URL, at a network's portal or a gateway's login; nil where they lead to no
    /// page that was recorded.
    private func landing(of document: MetadataDocument, _ flow: Flow) -> Int? {
        let end = document.endOfRedirects(in: flow)
        guard end != document.exchange, flow.surroundings.messages[end] == nil,
            let response = flow.capture[end].response, response.isSuccessful, response.body?.isPage ?? false
        else { return nil }
        return end
    }

    /// `read`: what the client got in the end.
    private func evidence(_ document: MetadataDocument, _ read: Int, _ body: Body, _ flow: Flow) -> [Evidence]
    {
        let type = flow.capture[read].response?.headers.first("content-type") ?? body.mediaType
        let start = Excerpt.start(of: body.text ?? "", 120)
        let redirect = Evidence(
            place: Place(exchange: document.exchange, part: .responseLocation, name: ""),
            value: Masking.shown(flow.capture[read].request.url.withoutQuery, of: "url"),
            note: "where the redirect led"
        )
        return [document.urlEvidence] + (read == document.exchange ? [] : [redirect]) + [
            Evidence(
                place: Place(exchange: read, part: .responseHeader, name: "Content-Type"),
                value: type.map { Excerpt.start(of: $0, 80) } ?? "none"
            ),
            Evidence(
                place: Place(exchange: read, part: .responseBody, name: ""),
                value: start.isEmpty ? "empty" : start,
                note: read == document.exchange && document.answer.json != nil ? "JSON without issuer" : nil
            ),
        ]
    }
}
