import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import TestSupport
import Testing

/// The same capture as another producer writes it: the same is found in it, at the same entries.
struct RespelledCaptureTests {
    private static func recording(_ har: JSONValue) throws -> Recording {
        let capture = try CaptureReader.read(bytes: JSONWriter.bytes(of: har), name: "respelled.har")
        return Recording(capture.indices.map { capture[$0] })
    }

    private static func steps(of recording: Recording) -> [[String]] {
        recording.flows.map { flow in flow.steps.map { "\($0.exchange) \($0.kind.rawValue)" } }
    }

    @Test(arguments: MutationTests.names) func spellingDoesNotMatter(name: String) throws {
        let har = try JSONParser.parse(Fixtures.bytes("captures/\(name).har"))
        let (plain, respelled) = (try Self.recording(har), try Self.recording(Self.respelled(har)))
        #expect(respelled.exchanges.count == plain.exchanges.count)
        #expect(respelled.findings == plain.findings)
        #expect(respelled.outcomes == plain.outcomes)
        #expect(Self.steps(of: respelled) == Self.steps(of: plain))
    }

    // MARK: - Another producer's hand

    private static func respelled(_ har: JSONValue) throws -> JSONValue {
        var log = try #require(har["log"]?.object)
        let entries = try #require(log["entries"]?.array)
        log["entries"] = .array(
            try entries.enumerated().map { index, entry in
                var entry = try #require(entry.object)
                entry["startedDateTime"] = try elsewhere(entry["startedDateTime"])
                entry["request"] = message(entry["request"]) { request in
                    request["queryString"] = nil
                    request["postData"] = message(request["postData"], edit: escape)
                }
                entry["response"] = message(entry["response"]) { response in
                    response["content"] = message(response["content"]) { content in
                        escape(&content)
                        // As one producer has all bodies; here every other one.
                        if index.isMultiple(of: 2) { encode(&content) }
                    }
                }
                return .object(entry)
            }
        )
        var respelled = har.object
        respelled?["log"] = .object(log)
        return respelled.map { .object($0) } ?? har
    }

    /// An object changed: names of header fields in capitals, and no list of cookies that is empty.
    private static func message(_ value: JSONValue?, edit: (inout JSONObject) -> Void) -> JSONValue? {
        guard var object = value?.object else { return value }
        if let fields = object["headers"]?.array {
            object["headers"] = .array(
                fields.map { field in
                    guard var field = field.object, let name = field["name"]?.string else { return field }
                    field["name"] = .string(name.uppercased())
                    return .object(field)
                }
            )
        }
        if object["cookies"]?.array?.isEmpty == true { object["cookies"] = nil }
        edit(&object)
        return .object(object)
    }

    /// The same instant where clocks are two hours ahead.
    private static func elsewhere(_ time: JSONValue?) throws -> JSONValue {
        let time = try #require(time?.string.flatMap { Timestamp(rfc3339: $0) })
        return .string("\((time + .seconds(7200)).rfc3339.dropLast())+02:00")
    }

    /// JSON with the escapes of PHP and of scripts, and forms with small letters behind the percent sign.
    private static func escape(_ data: inout JSONObject) {
        guard let text = data["text"]?.string, !text.contains("\\") else { return }
        if text.hasPrefix("{") || text.hasPrefix("[") {
            guard (try? JSONParser.parse(Array(text.utf8))) != nil else { return }
            data["text"] = .string(text.replacing("/", with: #"\/"#).replacing("=", with: #"\u003d"#))
        } else if data["mimeType"]?.string?.hasPrefix(FormBody.mediaType) == true {
            data["text"] = .string(text.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() })
        }
    }

    private static func encode(_ content: inout JSONObject) {
        guard let text = content["text"]?.string, content["encoding"] == nil, !text.isEmpty else { return }
        content["text"] = .string(Base64.encode(text.utf8))
        content["encoding"] = "base64"
    }
}
