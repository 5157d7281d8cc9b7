import Captures
import Diagnosis
import Flows
import JSON
import LibCrypto
import Reports
import Sharing
import TestSupport

/// A capture that is shared in memory.
struct SharingWorld {
    /// The original, as JSON.
    var document: JSONValue
    var options = SharingOptions()

    /// A healthy login with PKCE, a client secret, tokens and userinfo.
    init(_ path: String = "captures/healthy/web-code-flow.har") throws {
        document = try JSONParser.parse(Fixtures.bytes(path))
    }

    init(document: JSONValue) { self.document = document }

    /// What is written, and what can be said of it.
    struct Shared {
        var bytes: [UInt8]
        var capture: Capture
        /// Entries of the original that were kept.
        var entries: [Int]
        var differences: [VerdictCheck.Difference]

        var text: String { String(decoding: bytes, as: UTF8.self) }

        func entry(_ index: Int) throws -> JSONValue {
            try JSONParser.parse(capture.text(ofEntry: index) ?? [])
        }
    }

    /// The original as it is read.
    func capture() throws -> Capture {
        try CaptureReader.read(bytes: JSONWriter.bytes(of: document), name: "original")
    }

    func shared() throws -> Shared {
        let original = try capture()
        let flows = FlowFinder.flows(in: original)
        let check = VerdictCheck(Self.story)
        let redactor = Redactor(
            [(original, flows)],
            options: options,
            random: { SecureRandom.bytes($0) },
            makeKey: LentKeys.lender()
        )
        let told =
            options.keepsAll
            ? check.original(all: original)
            : check.original(original, flows: Set(flows.flatMap(\.exchanges)))
        let entries = told.entries
        var bytes: [UInt8] = []
        redactor.write(
            original,
            flows: flows,
            entries: entries,
            mark: Redaction(version: "test", date: "2026-03-01T00:00:00Z")
        ) { bytes += $0 }
        let capture = try CaptureReader.read(bytes: bytes, name: "shared")
        return Shared(
            bytes: bytes,
            capture: capture,
            entries: entries,
            differences: check.differences(told, capture, times: redactor.times)
        )
    }

    /// What sharing a capture comes to.
    ///
    /// `meddle`: changes what was written before it is read again.
    static func outcome(
        of capture: Capture,
        _ options: SharingOptions = SharingOptions(),
        meddle: ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> CaptureSharing.Outcome {
        try withoutActuallyEscaping(meddle) { meddle in
            try sharing([capture], options).share(
                random: { SecureRandom.bytes($0) },
                makeKey: LentKeys.lender()
            ) { _ in
                { write in
                    var text: [UInt8] = []
                    try write { text += $0 }
                    return try CaptureReader.read(bytes: meddle(text), name: "shared")
                }
            }[0]
        }
    }

    /// What sharing comes to where members were left before the date of the first entry.
    func outcome(leaving members: String) throws -> CaptureSharing.Outcome {
        try Self.outcome(of: capture(), options) { text in
            let date = "\"startedDateTime\":"
            return Array(
                String(decoding: text, as: UTF8.self)
                    .replacing(date, with: "\(members),\(date)", maxReplacements: 1).utf8
            )
        }
    }

    /// What is written for captures that are shared together.
    static func texts(of captures: [Capture], _ options: SharingOptions = SharingOptions()) throws
        -> [[UInt8]]
    {
        var texts = captures.map { _ in [UInt8]() }
        _ = try sharing(captures, options).share(
            random: { SecureRandom.bytes($0) },
            makeKey: LentKeys.lender()
        ) { index in
            { write in
                try write { texts[index] += $0 }
                return try CaptureReader.read(bytes: texts[index], name: "shared")
            }
        }
        return texts
    }

    private static func sharing(_ captures: [Capture], _ options: SharingOptions) -> CaptureSharing {
        CaptureSharing(
            captures.map { CaptureSharing.Source(capture: $0, flows: FlowFinder.flows(in: $0)) },
            options: options,
            mark: Redaction(version: "test", date: "2026-03-01T00:00:00Z"),
            tell: story
        )
    }

    /// What `diagnose` and `show` print.
    static func story(of capture: Capture) -> [JSONValue] {
        let report = ReportBuilder.report(on: capture, named: "", rules: RuleCatalog.rules)
        return [JSONReport.diagnosis(of: report), JSONReport.timeline(of: report)].map {
            (try? JSONParser.parse($0.utf8)) ?? .null
        }
    }

    // MARK: - Making it adversarial

    /// Changes an entry.
    mutating func change(_ index: Int, _ body: (inout JSONObject) -> Void) {
        guard var log = document["log"]?.object, var entries = log["entries"]?.array,
            var entry = entries[index].object, var root = document.object
        else { return }
        body(&entry)
        entries[index] = .object(entry)
        log["entries"] = .array(entries)
        root["log"] = .object(log)
        document = .object(root)
    }

    /// Changes the JSON document that an entry answers with.
    mutating func changeBody(_ index: Int, _ body: (inout JSONObject) -> Void) {
        guard var document = try? self.body(index).object else { return }
        body(&document)
        answer(index, with: JSONWriter.text(of: .object(document)))
    }

    /// What an entry answers with, instead.
    mutating func answer(_ index: Int, with text: String) {
        setText(text, of: "content", in: "response", index)
    }

    /// The form that an entry sends, instead.
    mutating func send(_ form: String, in index: Int) { setText(form, of: "postData", in: "request", index) }

    private mutating func setText(_ text: String, of body: String, in message: String, _ index: Int) {
        change(index) { entry in
            guard var changed = entry[message]?.object, var content = changed[body]?.object else { return }
            content["text"] = .string(text)
            changed[body] = .object(content)
            entry[message] = .object(changed)
        }
    }

    /// The JSON document that an entry answers with.
    func body(_ index: Int) throws -> JSONValue {
        try JSONParser.parse((entry(index)?["response"]?["content"]?["text"]?.string ?? "").utf8)
    }

    func formValue(_ name: String, of index: Int) throws -> String {
        let form = FormBody.items(
            of: Body(
                text: entry(index)?["request"]?["postData"]?["text"]?.string ?? "",
                mediaType: "application/x-www-form-urlencoded"
            )
        )
        guard let value = form?.items.first(where: { $0.name == name })?.value else {
            throw CaptureError.noSuchFile(path: name)
        }
        return value
    }

    func queryValue(_ name: String, of index: Int) throws -> String {
        let url = RecordedURL(entry(index)?["request"]?["url"]?.string ?? "")
        guard let value = url.queryItems.items.first(where: { $0.name == name })?.value else {
            throw CaptureError.noSuchFile(path: name)
        }
        return value
    }

    private func entry(_ index: Int) -> JSONValue? { document["log"]?["entries"]?.array?[index] }

    /// Puts an entry behind the last one that answers with a JSON document.
    mutating func append(_ url: String, json: String) { append(url, type: "application/json", body: json) }

    /// Puts an entry behind the last one, a little later, to a host that has nothing to do with the login.
    mutating func append(
        _ url: String,
        headers: [(String, String)] = [],
        type: String = "text/plain",
        body: String = "",
        encoding: String? = nil,
        extra: [(String, JSONValue)] = []
    ) {
        guard var log = document["log"]?.object, var entries = log["entries"]?.array,
            var root = document.object
        else {
            return
        }
        var content: JSONObject = [
            "size": .number(JSONNumber(Int64(body.utf8.count))), "mimeType": .string(type),
            "text": .string(body),
        ]
        if let encoding { content["encoding"] = .string(encoding) }
        let request: JSONObject = [
            "method": "GET", "url": .string(url), "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": .array(
                headers.map { ["name": .string($0.0), "value": .string($0.1)] }.map(JSONValue.object)
            ),
            "queryString": [], "headersSize": -1, "bodySize": 0,
        ]
        let response: JSONObject = [
            "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
            "content": .object(content), "redirectURL": "", "headersSize": -1, "bodySize": -1,
        ]
        var entry: JSONObject = [
            "startedDateTime": entries.last?["startedDateTime"] ?? "2026-03-21T09:15:00.000Z", "time": 1,
            "request": .object(request), "response": .object(response), "cache": [:],
            "timings": ["send": 0, "wait": 1, "receive": 0],
        ]
        entry.members += extra.map { JSONObject.Member(name: $0.0, value: $0.1) }
        entries.append(.object(entry))
        log["entries"] = .array(entries)
        root["log"] = .object(log)
        document = .object(root)
    }

    /// The first value of a member of this name in the document, wherever it stands.
    func first(_ name: String) throws -> String {
        func find(_ value: JSONValue) -> String? {
            switch value {
            case .object(let object):
                for member in object.members {
                    if member.name == name, let text = member.value.string { return text }
                    if let found = find(member.value) { return found }
                }
                return nil
            case .array(let elements): return elements.lazy.compactMap(find).first
            case .string(let text):
                guard text.utf8.first == 0x7b, let inner = try? JSONParser.parse(text.utf8) else {
                    return nil
                }
                return find(inner)
            default: return nil
            }
        }
        guard let found = find(document) else { throw CaptureError.noSuchFile(path: name) }
        return found
    }
}
