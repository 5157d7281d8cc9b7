import JSON

/// What the beginning of a JSON text gives away.
struct JSONSketch {
    /// Of the outermost object, or of the first in the outermost list; nil where there is none.
    private(set) var firstName: String?
    /// Names of the first members, as far as they are near.
    private(set) var names: [String] = []
    private(set) var isList = false

    private static let nearBytes = 1 << 20

    init(_ source: CaptureSource) {
        // No more is looked at, however long the first value is.
        var reader = LenientReader(CaptureSource(bytes: source.bytes(at: 0, count: Self.nearBytes)))
        reader.skipSpace()
        if reader.peek() == UInt8(ascii: "[") {
            isList = true
            reader.advance()
            reader.skipSpace()
        }
        guard reader.peek() == UInt8(ascii: "{") else { return }
        reader.advance()
        while names.count < 8 {
            reader.skipSpace()
            var text: [UInt8] = []
            guard let byte = reader.peek() else { return }
            if byte == UInt8(ascii: ",") {
                reader.advance()
                continue
            }
            guard (try? reader.name(byte, &text, true)) != nil,
                let name = (try? JSONParser.parse(text.dropLast()))?.string
            else { return }
            if firstName == nil { firstName = name }
            names.append(name)
            // HAR begins so, nearly always: nothing more need be known.
            guard firstName != "log" else { return }
            var none: [UInt8] = []
            guard (try? reader.value(into: &none, keep: false)) != nil else { return }
        }
    }

    /// What MockServer has beside `httpRequest`.
    private static let mockServer: Set<String> = [
        "httpResponse", "httpResponseTemplate", "httpResponseClassCallback", "httpResponseObjectCallback",
        "httpForward", "httpForwardTemplate", "httpOverrideForwardedRequest", "httpError",
    ]

    /// Whether these are messages of the DevTools protocol, or of WebDriver BiDi.
    var looksLikeEvents: Bool {
        names.contains("method") && (names.contains("params") || names.contains("id"))
            || names.contains("message") && !names.contains("log")
            || names.contains("id") && names.contains("result")
            // WebDriver BiDi's, without their frame.
            || names.contains("redirectCount") && names.contains("request")
    }

    /// Whether this may be Chromium's network log.
    var looksLikeNetLog: Bool { names.contains("constants") }

    /// Whether this may be a session that Charles exported.
    var looksLikeCharles: Bool { names.contains("method") && names.contains("protocolVersion") }

    /// Whether this may be what SAML-tracer exported, or WireMock's journal.
    var looksLikeRequests: Bool { firstName == "requests" && !isList }

    /// Whether this may be a cassette of VCR or one of its relatives.
    var looksLikeCassette: Bool {
        names.contains("http_interactions") || names.contains("interactions")
            || isList && names.contains("request") && names.contains("response")
    }

    /// Whether this may be what MockServer was asked; Google's and Amazon's logs have a member of that name as well.
    var looksLikeMockServer: Bool {
        names.contains("httpRequest") && !Self.mockServer.isDisjoint(with: names)
    }

    /// Whether this may be a timeline that Reactotron exported.
    var looksLikeReactotron: Bool {
        isList && ["type", "payload", "deltaTime"].allSatisfy(names.contains)
    }

    /// Whether this may be a simulation or the journal of Hoverfly's.
    var looksLikeHoverfly: Bool {
        !isList && (names.contains("journal") || names.contains("data") && names.contains("meta"))
    }

    /// Whether this may be the report of a run of Newman's, whose collection may be as large as what is looked at.
    var looksLikeNewman: Bool {
        !isList && (firstName == "collection" || names.contains("collection") && names.contains("run"))
    }

    /// Well-known documents that are no capture, with what to do; nil for others.
    var looksLike: (what: String, advice: String)? {
        let export = "export a HAR from the browser's network panel, or run authreel record"
        let has = { (wanted: String...) in wanted.allSatisfy(names.contains) }
        if has("info", "item") {
            return (
                "a Postman collection (JSON, but no HAR)",
                "it holds requests, and answers as examples only; let its run be recorded:"
                    + " authreel record --out login.har -- newman run COLLECTION; or \(export)"
            )
        }
        if has("collection", "run") {
            return (
                "a report of Newman's with no request that can be read (JSON, but no HAR)",
                "let its run be recorded: authreel record --out login.har -- newman run COLLECTION; or \(export)"
            )
        }
        if has("collection_id", "environment_id") {
            return (
                "a run that Postman exported (JSON, but no HAR)",
                "it has no messages; the report of newman run --reporters json is read, or let its run be recorded:"
                    + " authreel record --out login.har -- newman run COLLECTION"
            )
        }
        if looksLikeMockServer {
            return (
                "what MockServer was asked or is to answer (JSON, but no HAR)",
                "both together are read: curl -X PUT"
                    + " 'localhost:1080/mockserver/retrieve?type=REQUEST_RESPONSES' > login.json;"
                    + " or let the program be recorded that asks it: authreel record --out login.har -- COMMAND"
            )
        }
        if has("type", "data", "metric") {
            return (
                "results of k6's (JSON, but no HAR)",
                "they have no messages; let its run be recorded: authreel record --out login.har -- k6 run SCRIPT"
            )
        }
        if has("openapi") || has("swagger") { return ("an OpenAPI description (JSON, but no HAR)", export) }
        if has("_type", "resources") {
            return ("an Insomnia export (JSON, but no HAR)", "in Insomnia: Export Data, HAR; or \(export)")
        }
        if has("_index", "_source") {
            return (
                "what tshark prints of packets (JSON, but no HAR)",
                "the packets themselves are read: authreel import FILE.pcapng --keylog KEYLOG --out login.har"
            )
        }
        if has("fileVersion", "flipperReleaseRevision") {
            return (
                "an export of Flipper's (JSON, but no HAR)",
                "let the app be recorded: authreel record; or let Reactotron, Chucker or Pulse in it share its calls"
            )
        }
        if has("traceEvents") {
            return ("a performance trace (JSON, but no HAR)", "it has no messages; \(export)")
        }
        if has("steps", "title") {
            return (
                "a recording of DevTools' recorder (JSON, but no HAR)",
                "it holds what was clicked, not what was sent: replay it with the network panel open;"
                    + " \(export)"
            )
        }
        if has("resourceSpans") {
            return ("traces of OpenTelemetry (JSON, but no HAR)", "they have no messages; \(export)")
        }
        if has("__meta__") {
            return (
                "a session of HTTPie's (JSON, but no HAR)",
                "let it be recorded: authreel record --out login.har -- http, with its arguments"
            )
        }
        if has("http_interactions") {
            return (
                "a cassette of VCR with no request that can be read (JSON, but no HAR)",
                "let the program be recorded that made it: authreel record --out login.har -- COMMAND"
            )
        }
        if let provider = [
            ("Okta's System Log", has("eventType", "published")),
            ("a log of Auth0's", has("date", "type") && (has("client_id") || has("log_id"))),
            ("Entra's sign-in log", has("createdDateTime", "userPrincipalName")),
        ].first(where: { $0.1 }) {
            return ("\(provider.0) (JSON, but no HAR)", NamedText.logOfProvider)
        }
        if has("issuer", "authorization_endpoint") {
            return ("a provider's metadata (JSON, but no HAR)", export)
        }
        if has("keys"), names.count == 1 { return ("a key set (JSON, but no HAR)", export) }
        guard !names.isEmpty, firstName != "log", firstName != "entries" else { return nil }
        let listed = names.prefix(4).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
        return ("JSON, but no HAR: \(isList ? "a list of objects" : "an object") with \(listed)", export)
    }
}
