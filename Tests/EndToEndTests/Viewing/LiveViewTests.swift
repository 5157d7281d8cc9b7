import Foundation
import JSON
import TestSupport
import Testing

/// `record --view`: a login that is recorded appears on the open page, step by step.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? ""))
)
struct LiveViewTests {
    @Test func loginsAppearStepByStepAndWhatBrokeOneWhenItIsCertain() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("components")
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            upstreamCA: try RealComponents.authority(state),
            options: ["--view"]
        )
        let url = try #require(recorder.messages.firstMatch(of: /viewing at (http:\S+)/)).output.1
        let logins = Logins(recorder, state)
        logins.start()
        let asked = "return performance.getEntriesByType('resource').length"
        let visit = try #require(
            try ViewerVisit.visits([
                .init(
                    url: String(url),
                    steps: [
                        ["watch", "the recording is over", "120"], ["run", asked],
                        ["click", ".evidence button"], ["key", "/"], ["type", "code_verifier"],
                        ["key", "Enter"], ["run", asked],
                    ]
                )
            ]).first
        )
        try #require(logins.failure == nil, "\(logins.failure ?? "")")
        visit.expectDecent()
        #expect(
            visit.seen(0, "verdict") == ["Nothing has come through yet: what the recorder sees appears here."]
        )
        let watched = try #require(visit.results.first?.array)
        expectProgress(watched)
        try expectEnd(watched, like: recorder.capture)
        // All of it can be opened and searched when the recorder is gone.
        #expect(visit.results[1] == visit.results.last)
        #expect(visit.seen(3, "heading").count == 1 && !visit.seen(visit.last, "results").isEmpty)
        #expect(visit.text(1, "title") == "login.har · authreel")
        #expect(visit.seen(1, "live").first?.contains("authreel view \(recorder.capture)") == true)
        // Nobody gets at the page through the proxy.
        #expect(logins.throughProxy == "502")
        let refused = try JSONParser.parse(Data(contentsOf: URL(filePath: recorder.capture)))["log"]?[
            "entries"
        ]?.array?.last
        #expect(refused?["_error"]?.string?.contains("this recorder itself") == true)
    }

    /// It went on while it was looked at (how often depends on the machine).
    private func expectProgress(_ watched: [JSONValue]) {
        // It never became less, but for the metadata that turn out to have been asked for by the next login.
        let rows = watched.filter { $0["flow"]?.string == "flow-1" }.compactMap { $0["rows"]?.int }
        let stories = watched.compactMap { $0["logins"]?.array?.first?.string }
        #expect(Set(stories).count > 1 && !rows.isEmpty, "\(watched)")
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $1 >= $0 - 1 }, "\(watched)")
        // Whoever is at the login page has not abandoned it.
        #expect(!stories.contains { $0.contains("never completed") }, "\(stories)")
    }

    /// In the end it says what the diagnosis says.
    private func expectEnd(_ watched: [JSONValue], like capture: String) throws {
        let told = try Program.run(["diagnose", "--format", "json", capture])
        let flows = try JSONParser.parse(told.output.utf8)["flows"]?.array ?? []
        let end = try #require(watched.last)
        #expect(end["logins"]?.array?.count == flows.count)
        let title = try #require(
            flows.compactMap { $0["findings"]?.array?.first { $0["primary"] == true } }.first?["title"]?
                .string
        )
        #expect(end["logins"]?.array?.contains { $0.string?.hasSuffix(title) == true } == true, "\(end)")
    }

    /// What goes on beside the page: two logins, a look through the proxy, the end of the recording.
    ///
    /// `@unchecked Sendable`: what it finds is read when the recording is over, which it ends itself.
    private final class Logins: @unchecked Sendable {
        private let recorder: RecorderProcess
        private let state: String
        var failure: String?
        var throughProxy = ""

        init(_ recorder: RecorderProcess, _ state: String) {
            self.recorder = recorder
            self.state = state
        }

        func start() { Thread.detachNewThread { self.run() } }

        private func run() {
            do {
                for name in ["login", "pkce-verifier"] {
                    let login = try RealComponents.run([
                        "scenario", name, "--state", state, "--proxy", "127.0.0.1:\(recorder.port)",
                        "--proxy-ca",
                        recorder.certificate,
                    ])
                    if login.status != 0 { failure = login.errors }
                }
                let url = recorder.messages.firstMatch(of: /viewing at (http:\S+)/)?.output.1 ?? ""
                throughProxy = try Program.run(
                    [
                        "-s", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "", "--proxy",
                        "http://127.0.0.1:\(recorder.port)", String(url),
                    ],
                    executable: "/usr/bin/curl"
                ).output
            } catch {
                failure = "\(error)"
            }
            // So that what is certain is told.
            Thread.sleep(forTimeInterval: 4)
            if recorder.interrupt() != 0 { failure = (failure ?? "") + recorder.messages }
        }
    }
}
