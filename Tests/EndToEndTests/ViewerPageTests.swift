import Foundation
import JSON
import TestSupport
import Testing

/// Pages of `show --format html` in a real browser: what is drawn, what a click and a key do, and that nothing of a capture
/// ever runs.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? ""))
)
struct ViewerPageTests {
    /// What was seen of one page.
    private struct Visit {
        var json: JSONValue

        /// Before any step, and after each.
        func seen(_ step: Int, _ what: String) -> [String] {
            json["seen"]?.array?[step][what]?.array?.compactMap(\.string) ?? []
        }

        func list(_ name: String) -> [String] { json[name]?.array?.map { JSONWriter.text(of: $0) } ?? ["?"] }
    }

    /// Writes a page for each capture and opens them, one after the other.
    private func visits(_ plan: [(capture: String, hash: String, steps: JSONValue)]) throws -> [Visit] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var items: [JSONValue] = []
        for (number, item) in plan.enumerated() {
            let page = folder.file("\(number).html")
            let made = try Program.run(["show", "--format", "html", "--out", page, item.capture])
            try #require(made.status == 0, "\(made.errors)")
            items.append(["file": .string(page), "hash": .string(item.hash), "steps": item.steps])
        }
        let file = folder.file("plan.json")
        try Data(JSONWriter.bytes(of: .array(items))).write(to: URL(filePath: file))
        let result = try RealComponents.run(["pages", "--state", folder.file("state"), "--plan", file])
        try #require(result.status == 0, "\(result.errors)")
        return try JSONParser.parse(result.output.utf8).array?.map(Visit.init) ?? []
    }

    private static func path(_ capture: String) -> String {
        Fixtures.root.appending(path: "captures/\(capture).har").path
    }

    /// What a page of anything must have: nothing that a person cannot read or reach, no complaint, no request.
    private func expectDecent(_ visit: Visit) {
        #expect(visit.list("faults") == [])
        #expect(visit.list("log") == [])
        #expect(visit.list("requests") == [])
    }

    private static let captures = [
        "healthy/web-code-flow", "healthy/native-app", "healthy/refresh", "healthy/logout",
        "token-request/pkce-verifier-mismatch", "id-token/id-token-kid-unknown",
        "user-agent/state-cookie-lost",
        "transport/tls-client-rejects-recorder", "security-practice/implicit-flow",
    ]

    @Test func flowsAndFindingsAreThoseOfTheDiagnosis() throws {
        let plan = Self.captures.map { (Self.path($0), "#exchange=0", JSONValue.array([])) }
        let visits = try visits(plan)
        #expect(visits.count == plan.count)
        for (visit, item) in zip(visits, plan) {
            expectDecent(visit)
            let told = try Program.run(["diagnose", "--format", "json", item.0])
            let flows = try JSONParser.parse(told.output.utf8)["flows"]?.array ?? []
            #expect(visit.seen(0, "flows").count == flows.count)
            // The first that failed, else the first.
            let flow = flows.first { $0["outcome"]?.string == "failure" } ?? flows.first
            let causes = (flow?["findings"]?.array ?? []).filter { $0["effect_of"] == nil }
            #expect(visit.seen(0, "findings").count == causes.count, "\(item.0)")
            for (shown, cause) in zip(visit.seen(0, "findings"), causes) {
                #expect(shown.hasSuffix(try #require(cause["title"]?.string)))
            }
            #expect(!visit.seen(0, "rows").isEmpty)
        }
    }

    @Test func valueIsFollowedAndSecretsAreShownOnRequestOnly() throws {
        let capture = Self.path("token-request/pkce-verifier-mismatch")
        let verifier = "ZL52VOi92l1LiU61fwx972146knKQKqIvjPePuo4Pvq"
        let visit = try #require(
            try visits([
                (
                    capture, "#exchange=4",
                    [
                        ["text", ".values button", "Follow code_verifier"], ["key", "Escape"], ["key", "s"],
                        ["text", ".evidence button", "[1] request.query code_challenge"],
                    ]
                )
            ]).first
        )
        expectDecent(visit)
        #expect(visit.seen(0, "heading") == ["[4] token request"])
        #expect(visit.seen(1, "marked") == ["code_challenge (malformed_challenge)", "code_verifier is made"])
        #expect(visit.seen(2, "marked") == [])
        #expect(!visit.seen(0, "values").joined().contains(verifier))
        #expect(visit.seen(3, "values").joined().contains(verifier))
        // A finding's evidence leads to the message, where the value is marked.
        #expect(visit.seen(4, "heading") == ["[1] authorization request"])
        #expect(visit.seen(4, "chosen").map { $0.prefix(14) } == ["code_challenge"])
    }

    @Test func nothingOfACaptureRuns() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let attacks = [
            "</script><script>window.attacked=1</script>", "<img src=x onerror=window.attacked=2>",
            "javascript:window.attacked=3", "\"><svg onload=window.attacked=4>", "{{7*7}}",
            "\u{2028}window.attacked=5",
            "https://attacker.example/pixel.png", "__proto__", "constructor", "]]><!--",
            "'-window.attacked=6-'",
        ]
        // In every text of a login, one after the other, beside what stood there.
        var number = 0
        func attacked(_ value: JSONValue, _ name: String) -> JSONValue {
            switch value {
            case .string(let text):
                guard !["startedDateTime", "version", "method", "encoding", "mimeType", "url"].contains(name)
                else {
                    return value
                }
                number += 1
                return .string(text + attacks[number % attacks.count])
            case .array(let elements): return .array(elements.map { attacked($0, name) })
            case .object(let object):
                return .object(
                    JSONObject(
                        object.members.map { .init(name: $0.name, value: attacked($0.value, $0.name)) }
                    )
                )
            default: return value
            }
        }
        var plan: [(String, String, JSONValue)] = []
        for name in ["token-request/pkce-verifier-mismatch", "healthy/web-code-flow"] {
            let original = try JSONParser.parse(Fixtures.bytes("captures/\(name).har"))
            let file = folder.file("\(plan.count).har")
            try Data(JSONWriter.bytes(of: attacked(original, ""))).write(to: URL(filePath: file))
            for exchange in 0..<5 { plan.append((file, "#exchange=\(exchange)", [["key", "s"]])) }
        }
        #expect(number > 100)
        for visit in try visits(plan) {
            #expect(visit.json["seen"]?.array?.last?["attacked"] == .null)
            #expect(visit.seen(0, "heading").count == 1)
            expectDecent(visit)
        }
    }
}
