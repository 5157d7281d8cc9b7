import Captures
import Flows
import JSON
import OAuth

extension MetadataDocument {
    /// With the URL that its client asked for, be it over https that a proxy ended; nil where that is not known.
    func asAsked(in capture: Capture) -> MetadataDocument? {
        guard let url = capture[exchange].askedURL else { return nil }
        var document = self
        document.url = url
        return document
    }

    /// The URL it was asked for at.
    var urlEvidence: Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .requestURL, name: ""),
            value: Masking.shown(isRouted ? url.text : url.withoutQuery, of: "url")
        )
    }

    /// The exchange that redirects lead to from it, as far as the capture has it: itself where there are none.
    func endOfRedirects(in flow: Flow) -> Int {
        flow.surroundings.redirects(behind: exchange, atMost: 5).reduce(exchange) { $1 }
    }

    /// The strings of a list; nil where the document has no such list.
    func list(_ name: String) -> [String]? { answer.json?[name]?.array?.compactMap(\.string) }

    /// The endpoints it names that take a client's credentials.
    var clientEndpoints: [RecordedURL] {
        Self.endpoints.flatMap { [endpoint($0), mutualTLSAlias($0)] }.compactMap { $0 }.map(RecordedURL.init)
    }

    private static let endpoints = [
        "token_endpoint", "pushed_authorization_request_endpoint", "revocation_endpoint",
        "introspection_endpoint",
    ]
}
