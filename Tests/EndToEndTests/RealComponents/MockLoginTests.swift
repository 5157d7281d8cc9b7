import Foundation
import JSON
import TestSupport
import Testing

/// Chromium logs in to Apache with mod_auth_openidc once at the real provider, and once more where the mock that is made of
/// that recording plays it: with its own pages and scripts, and the same outcome.
@Suite(.serialized, .timeLimit(.minutes(8)))
struct MockLoginTests {
    /// What `show --format json` says of a login.
    struct Shown {
        var capture: String
        var flow: JSONValue

        init(_ capture: String) throws {
            self.capture = capture
            let shown = try Program.run(["show", "--format", "json", capture])
            try #require(shown.status == 0, "\(shown.errors)")
            let flows = try JSONParser.parse(shown.output.utf8)["flows"]?.array ?? []
            #expect(flows.count == 1)
            flow = flows.first ?? .null
        }

        var steps: [JSONValue] { flow["steps"]?.array ?? [] }
        /// Protocol messages; pages may be asked for once more or less.
        var kinds: [String] {
            steps.compactMap { $0["kind"]?.string }.filter { $0 != "user_interaction" }.sorted()
        }

        func token(_ name: String) -> JSONValue? {
            steps.filter { $0["kind"] == "token_request" }.flatMap { $0["tokens"]?.array ?? [] }.first {
                $0["name"]?.string == name
            }
        }
    }

    @Test(.enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")))
    func relyingPartyAndBrowserTakeTheMockForTheProvider() throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (state, another) = (folder.file("components"), folder.file("mocked"))
        let recorder = try RecorderProcess(
            into: folder.file("real.har"),
            folder: folder,
            upstreamCA: try RealComponents.authority(state)
        )
        let real = try RealComponents.run([
            "login", "--state", state, "--proxy", "127.0.0.1:\(recorder.port)", "--proxy-ca",
            recorder.certificate,
        ])
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        try #require(real.status == 0, "\(real.errors)\n\(recorder.messages)")

        let again = try RecorderProcess(
            into: folder.file("mocked.har"),
            folder: folder,
            upstreamCA: try RealComponents.authority(another),
            options: ["--upstream-ca", recorder.certificate]
        )
        let mocked = try RealComponents.run([
            "mock-login", "--state", another, "--proxy", "127.0.0.1:\(again.port)", "--proxy-ca",
            again.certificate, "--capture", recorder.capture, "--authreel", Program.path, "--ca-dir",
            folder.file("ca"),
        ])
        #expect(again.interrupt() == 0, "\(again.messages)")
        try #require(mocked.status == 0, "\(mocked.errors)\n\(again.messages)")
        let seen = try JSONParser.parse(mocked.output.utf8)
        // Ended as it should be, by a signal.
        #expect(seen["status"] == 0, "\(seen["stderr"]?.string ?? "")")
        #expect(seen["title"] == (try JSONParser.parse(real.output.utf8))["title"])

        try Self.compare(try Shown(recorder.capture), try Shown(again.capture), seen)
    }

    private static func compare(_ real: Shown, _ mocked: Shown, _ seen: JSONValue) throws {
        #expect(real.flow["outcome"] == "success" && mocked.flow["outcome"] == "success")
        #expect(mocked.flow["issuer"]?.string == seen["ready"]?["issuer"]?.string)
        #expect(mocked.flow["issuer"] != real.flow["issuer"])
        #expect(mocked.kinds == real.kinds)
        for name in ["id_token", "access_token"] {
            let (one, other) = (real.token(name), mocked.token(name))
            #expect(other?["signature"] == "valid", "\(name)")
            #expect(names(one?["claims"]) == names(other?["claims"]), "\(name)")
            #expect(one?["header"]?["alg"] == other?["header"]?["alg"], "\(name)")
            #expect(one?["claims"]?["sub"] == other?["claims"]?["sub"], "\(name)")
            #expect(one?["header"]?["kid"] != other?["header"]?["kid"], "\(name)")
        }
        let diagnosis = try Program.run(["diagnose", "--format", "json", mocked.capture])
        #expect(diagnosis.status == 0, "\(diagnosis.output)")
        // Nobody asked the real provider for anything.
        let text = try String(contentsOfFile: mocked.capture, encoding: .utf8)
        let origin = (real.flow["issuer"]?.string ?? "?").components(separatedBy: "/api").first ?? "?"
        #expect(!text.contains("\"\(origin)/"))
    }

    private static func names(_ claims: JSONValue?) -> [String] {
        claims?.object?.members.map(\.name).sorted() ?? []
    }
}
