import JSON

/// What the beginning of a JSON text gives away.
struct JSONSketch {
    /// Of the outermost object, or of the first in the outermost list; nil where there is none.
    private(set) var firstName: String?
    /// Names of the first members, as far as they are near.
    private(set) var names: [String] = []
    private(set) var isList = false
    /// What the value of the first member begins with; nil where it is not there.
    private(set) var firstValue: UInt8?

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
            reader.skipSpace()
            if names.count == 1 { firstValue = reader.peek() }
            var none: [UInt8] = []
            guard (try? reader.value(into: &none, keep: false)) != nil else { return }
        }
    }

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
        names.contains("httpRequest") && !NamedDocument.besideHTTPRequest.isDisjoint(with: names)
    }

    /// Whether this may be a timeline that Reactotron exported.
    var looksLikeReactotron: Bool {
        isList && ["type", "payload", "deltaTime"].allSatisfy(names.contains)
    }

    /// Whether this may be a simulation or the journal of Hoverfly's; the pairs of a simulation, which stand before the rest, may be
    /// more than what is looked at.
    var looksLikeHoverfly: Bool {
        guard !isList else { return false }
        return names.contains("journal") || names.contains("data") && names.contains("meta")
            || names == ["data"] && firstValue == UInt8(ascii: "{")
    }

    /// Whether this may be the report of a run of Newman's, whose collection may be as large as what is looked at.
    var looksLikeNewman: Bool {
        !isList && (firstName == "collection" || names.contains("collection") && names.contains("run"))
    }

    /// What a document is that is no capture, and what to do; nil for what may be a HAR.
    var looksLike: (what: String, advice: String)? {
        if let document = NamedDocument.all.first(where: { $0.isOne(names, firstValue) }) {
            return ("\(document.what) (JSON, but no HAR)", document.advice)
        }
        guard !names.isEmpty, firstName != "log", firstName != "entries" else { return nil }
        let listed = names.prefix(4).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
        let kind = isList ? "a list of objects" : "an object"
        return ("JSON, but no HAR: \(kind) with \(listed)", NamedDocument.export)
    }
}
