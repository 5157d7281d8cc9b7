/// A well-known kind of JSON document that is no capture, known by the names of its first members.
struct NamedDocument: Sendable {
    /// As it is named in a sentence.
    var what: String
    /// What to do instead.
    var advice: String
    private var names: [String]
    private var others: Set<String>
    private var only: Value?

    /// What the only member of a document is.
    private enum Value: UInt8 {
        case object = 0x7b
        case list = 0x5b
    }

    /// `names`: all of them are there; `others`: one of these is as well, where there are any; `only`: there is
    /// nothing else, and the value is such a one.
    private init(
        _ names: String...,
        or others: Set<String> = [],
        only: Value? = nil,
        what: String,
        advice: String = Self.export
    ) {
        (self.names, self.others, self.only) = (names, others, only)
        (self.what, self.advice) = (what, advice)
    }

    /// Whether a document with members of these names first is one, the first of whose values begins so.
    func isOne(_ found: [String], _ first: UInt8?) -> Bool {
        names.allSatisfy(found.contains) && (others.isEmpty || !others.isDisjoint(with: found))
            && (only == nil || found.count == 1 && only?.rawValue == first)
    }

    static let export = "export a HAR from the browser's network panel, or run authreel record"

    /// What MockServer has beside `httpRequest`.
    static let besideHTTPRequest: Set<String> = [
        "httpResponse", "httpResponseTemplate", "httpResponseClassCallback", "httpResponseObjectCallback",
        "httpForward", "httpForwardTemplate", "httpOverrideForwardedRequest", "httpError",
    ]

    /// The first one that a document is counts.
    static let all = tests + systems + logs + metadata

    /// Of those who send requests to try something.
    private static let tests = [
        NamedDocument(
            "info",
            "item",
            what: "a Postman collection",
            advice: "it holds requests, and answers as examples only; let its run be recorded:"
                + " authreel record --out login.har -- newman run COLLECTION; or \(export)"
        ),
        NamedDocument(
            "collection",
            "run",
            what: "a report of Newman's with no request that can be read",
            advice:
                "let its run be recorded: authreel record --out login.har -- newman run COLLECTION; or \(export)"
        ),
        NamedDocument(
            "collection_id",
            "environment_id",
            what: "a run that Postman exported",
            advice:
                "it has no messages; the report of newman run --reporters json is read, or let its run be recorded:"
                + " authreel record --out login.har -- newman run COLLECTION"
        ),
        NamedDocument(
            "httpRequest",
            or: besideHTTPRequest,
            what: "what MockServer was asked or is to answer",
            advice: "both together are read: curl -X PUT"
                + " 'localhost:1080/mockserver/retrieve?type=REQUEST_RESPONSES' > login.json;"
                + " or let the program be recorded that asks it: authreel record --out login.har -- COMMAND"
        ),
        NamedDocument(
            "type",
            "data",
            "metric",
            what: "results of k6's",
            advice:
                "they have no messages; let its run be recorded: authreel record --out login.har -- k6 run SCRIPT"
        ),
        NamedDocument(or: ["openapi", "swagger"], what: "an OpenAPI description"),
        NamedDocument(
            "_type",
            "resources",
            what: "an Insomnia export",
            advice: "in Insomnia: Export Data, HAR; or \(export)"
        ),
    ]

    /// Of what looks at a program or a browser while it runs.
    private static let systems = [
        NamedDocument(
            "_index",
            "_source",
            what: "what tshark prints of packets",
            advice: PrintedPackets.advice
        ),
        NamedDocument(
            "index",
            only: .object,
            what: "lines for Elasticsearch",
            advice: "where tshark printed them (-T ek), \(PrintedPackets.advice)"
        ),
        NamedDocument(
            "fileVersion",
            "flipperReleaseRevision",
            what: "an export of Flipper's",
            advice:
                "let the app be recorded: authreel record; or let Reactotron, Chucker or Pulse in it share its calls"
        ),
        NamedDocument(
            "traceEvents",
            what: "a performance trace",
            advice: "it has no messages; \(export)"
        ),
        NamedDocument(
            "steps",
            "title",
            what: "a recording of DevTools' recorder",
            advice:
                "it holds what was clicked, not what was sent: replay it with the network panel open; \(export)"
        ),
        NamedDocument(
            "resourceSpans",
            what: "traces of OpenTelemetry",
            advice: "they have no messages; \(export)"
        ),
        NamedDocument(
            "__meta__",
            what: "a session of HTTPie's",
            advice: "let it be recorded: authreel record --out login.har -- http, with its arguments"
        ),
        NamedDocument(
            "http_interactions",
            what: "a cassette of VCR with no request that can be read",
            advice: "let the program be recorded that made it: authreel record --out login.har -- COMMAND"
        ),
    ]

    private static let logs = [
        NamedDocument("eventType", "published", what: "Okta's System Log", advice: NamedText.logOfProvider),
        NamedDocument(
            "date",
            "type",
            or: ["client_id", "log_id"],
            what: "a log of Auth0's",
            advice: NamedText.logOfProvider
        ),
        NamedDocument(
            "createdDateTime",
            "userPrincipalName",
            what: "Entra's sign-in log",
            advice: NamedText.logOfProvider
        ),
    ]

    private static let metadata = [
        NamedDocument("issuer", "authorization_endpoint", what: "a provider's metadata"),
        NamedDocument("keys", only: .list, what: "a key set"),
    ]
}
