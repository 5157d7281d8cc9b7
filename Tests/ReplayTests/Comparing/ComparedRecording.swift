import Captures
import Flows
import JOSE
import JSON
import OAuth
import Replay
import TestSupport

/// A capture to be compared as it is or with one thing changed.
struct ComparedRecording {
    var exchanges: [Exchange]

    init(_ exchanges: [Exchange]) { self.exchanges = exchanges }

    /// Reads a file of the repository, named without `.har`.
    init(_ path: String) throws {
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path + ".har"), name: path)
        exchanges = capture.indices.map { capture[$0] }
    }

    var capture: Capture { Capture(exchanges) }

    /// The flow that `diff` takes.
    var flow: Flow? {
        let flows = FlowFinder.flows(in: capture)
        return flows.first { !$0.authorizationRequests.isEmpty } ?? flows.first
    }

    /// This one as it ought to be, the other compared with it.
    func difference(
        from other: ComparedRecording,
        options: ComparisonOptions = ComparisonOptions()
    ) -> FlowDifference? {
        guard let flow, let seen = other.flow else { return nil }
        return FlowDifference(flow, seen, options: options)
    }

    // MARK: - Changing one thing

    func editing(_ path: String, _ edit: (inout Exchange) -> Void) -> ComparedRecording {
        var copy = self
        if let index = exchanges.lastIndex(where: { $0.request.url.path == path }) {
            edit(&copy.exchanges[index])
        }
        return copy
    }

    func editingAll(_ edit: (inout Exchange) -> Void) -> ComparedRecording {
        var copy = self
        for index in copy.exchanges.indices { edit(&copy.exchanges[index]) }
        return copy
    }

    func without(_ path: String) -> ComparedRecording {
        ComparedRecording(exchanges.filter { $0.request.url.path != path })
    }

    /// A field of the form sent to a path; nil takes it out.
    func sending(_ name: String, _ value: String?, to path: String) -> ComparedRecording {
        editing(path) { exchange in
            let items = FormBody.items(of: exchange.request.body)?.items.map { ($0.name, $0.value) } ?? []
            exchange.request.body = Body(
                text: FormBody.encode(Self.changing(items, name, value)),
                mediaType: FormBody.mediaType
            )
        }
    }

    /// A parameter of a URL, wherever that URL is seen: where it is asked for, and in the redirect that leads there.
    func asking(_ name: String, _ value: String?, at path: String) -> ComparedRecording {
        editingAll { exchange in
            if exchange.request.url.path == path {
                exchange.request.url = Self.changing(exchange.request.url, name, value)
            }
            guard let location = exchange.response?.location, RecordedURL(location).path == path else {
                return
            }
            let changed = Self.changing(RecordedURL(location), name, value).text
            exchange.response?.headers.fields.removeAll { $0.name.lowercased() == "location" }
            exchange.response?.headers.append("Location", changed)
            exchange.response?.redirectURL = changed
        }
    }

    func answering(_ path: String, _ status: Int, _ json: JSONValue? = nil) -> ComparedRecording {
        editing(path) { exchange in
            exchange.response?.status = status
            exchange.response?.body = json.map { Body.json(JSONWriter.text(of: $0)) }
        }
    }

    /// The JSON of an answer.
    func editingAnswer(of path: String, _ edit: (inout JSONObject) -> Void) -> ComparedRecording {
        editing(path) { exchange in
            guard var object = exchange.response?.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object
            else {
                return
            }
            edit(&object)
            exchange.response?.body = Body.json(JSONWriter.text(of: .object(object)))
        }
    }

    /// A token of an answer, not signed again.
    func editingToken(
        _ name: String = "id_token",
        of path: String,
        header: (inout JSONObject) -> Void = { _ in },
        claims: (inout JSONObject) -> Void = { _ in }
    ) -> ComparedRecording {
        editingAnswer(of: path) { answer in
            guard let token = answer[name]?.string.flatMap({ JSONWebToken.parse($0) }),
                var first = token.header,
                var second = token.claims
            else { return }
            header(&first)
            claims(&second)
            let parts = [first, second].map { Base64URL.encode(JSONWriter.bytes(of: .object($0))) }
            answer[name] = .string("\(parts[0]).\(parts[1]).\(token.text.split(separator: ".").last ?? "")")
        }
    }

    func header(_ name: String, _ value: String?, ofRequestTo path: String) -> ComparedRecording {
        editing(path) { exchange in
            exchange.request.headers.fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            if let value { exchange.request.headers.append(name, value) }
        }
    }

    func header(_ name: String, _ value: String?, ofAnswerFrom path: String) -> ComparedRecording {
        editing(path) { exchange in
            exchange.response?.headers.fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            if let value { exchange.response?.headers.append(name, value) }
        }
    }

    private static func changing(_ url: RecordedURL, _ name: String, _ value: String?) -> RecordedURL {
        let items = url.queryItems.items.map { ($0.name, $0.value) }
        return RecordedURL(url.withoutQuery + "?" + FormBody.encode(changing(items, name, value)))
    }

    private static func changing(_ items: [(String, String)], _ name: String, _ value: String?) -> [(
        String, String
    )] {
        var items = items
        if let position = items.firstIndex(where: { $0.0 == name }) {
            if let value { items[position].1 = value } else { items.remove(at: position) }
        } else if let value {
            items.append((name, value))
        }
        return items
    }
}

extension FlowDifference {
    /// Every difference that counts, with its step.
    var all: [(step: StepPair?, difference: ValueDifference)] {
        steps.flatMap { step in step.differences.filter { $0.weight == .difference }.map { (step, $0) } }
            + overall.filter { $0.weight == .difference }.map { (nil, $0) }
    }

    /// The first difference as `token_request: redirect_uri: …`.
    var headline: String {
        guard let first else { return "the same" }
        return "\(first.step?.kind.rawValue ?? "flow"): \(first.difference.label): \(first.difference.note)"
    }

    /// Every difference that counts as `token_request redirect_uri`.
    var places: [String] {
        all.map { "\($0.step?.kind.rawValue ?? "flow") \($0.difference.label)" }
    }
}
