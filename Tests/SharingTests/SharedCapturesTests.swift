import Captures
import Foundation
import JSON
import LibCrypto
import Reports
import Sharing
import TestSupport
import Testing

/// Every capture that there is: shared, nothing left of its secrets, the same story.
struct SharedCapturesTests {
    /// Paths below the root of the checkout.
    private static let captures = ["captures", "Tests/Recordings"].flatMap(paths)
    /// Captures that could not be shared once.
    private static let refused = paths("Tests/Regressions/sharing")
    /// Captures in which a secret or somebody's data stayed once; a file beside each has what it was, a line each.
    private static let leaking = paths("Tests/Regressions/leaks")

    private static func paths(_ folder: String) -> [String] {
        let files = FileManager.default.enumerator(
            at: Fixtures.root.appending(path: folder),
            includingPropertiesForKeys: nil
        )
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "har" }
            .map { String($0.path.dropFirst(Fixtures.root.path.count).drop { $0 == "/" }) }.sorted()
    }

    /// A replay of the shared capture has to know that a name is nothing to compare.
    @Test(arguments: [true, false]) func whatAPersonIsCalledIsAmongTheNamesOfTheMark(isKept: Bool) throws {
        var world = try SharingWorld("captures/token-request/pkce-verifier-mismatch.har")
        world.options.keepsAll = true
        world.options.keepsPersonal = isKept
        world.append(
            "https://www.shop.example/me",
            json: #"{"sub":"alice-1","name":"Alice Liddell","email":"alice@mail.example"}"#
        )
        let shared = try world.shared()
        #expect(shared.capture.redaction?.concerns("name") == !isKept)
        #expect(shared.text.contains("Alice Liddell") == isKept)
    }

    @Test(arguments: captures)
    func captureIsSharedWithoutSecretsAndWithItsStory(path: String) throws {
        try share(CaptureReader.read(bytes: Fixtures.bytes(path), name: path))
    }

    @Test(arguments: refused, [false, true])
    func captureIsRefusedNoMore(path: String, all: Bool) throws {
        try share(CaptureReader.read(bytes: Fixtures.bytes(path), name: path), all: all)
    }

    @Test(arguments: leaking)
    func nothingStaysThatDidOnce(path: String) throws {
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        let planted = try String(decoding: Fixtures.bytes(path.dropLast(3) + "txt"), as: UTF8.self).split(
            separator: "\n"
        )
        var text = ""
        var options = SharingOptions()
        options.keepsAll = true
        let outcome = try SharingWorld.outcome(of: capture, options) { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return bytes
        }
        #expect(outcome.isProven, "\(outcome.leaks.prefix(3)) \(outcome.differences.prefix(3))")
        #expect(!planted.isEmpty && planted.filter { text.contains($0) } == [])
    }

    /// Captures from elsewhere, where `AUTHREEL_MORE_CAPTURES` names them, separated by spaces.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["AUTHREEL_MORE_CAPTURES"] != nil),
        arguments: (ProcessInfo.processInfo.environment["AUTHREEL_MORE_CAPTURES"] ?? "").split(separator: " ")
            .map(String.init)
    )
    func captureFromElsewhereIsSharedWithoutSecretsAndWithItsStory(path: String) throws {
        try share(CaptureReader.read(path: path))
    }

    private func share(_ capture: Capture, all: Bool = false) throws {
        var options = SharingOptions()
        options.keepsAll = all
        let outcome = try SharingWorld.outcome(of: capture, options)
        #expect(outcome.leaks.isEmpty, "\(outcome.leaks.prefix(3))")
        #expect(outcome.unprotected.isEmpty)
        #expect(outcome.differences.isEmpty, "\(outcome.differences.prefix(3))")
    }

    /// The scan knows nothing of how secrets are replaced: what slips past the replacer, it finds.
    @Test(arguments: ["TOKEN", "x=TOKEN&y", "{\"a\":\"TOKEN\"}"])
    func leakBehindTheReplacersBackIsFound(around: String) throws {
        let world = try SharingWorld()
        let token = try world.first("access_token")
        let capture = try world.capture()
        var isPlanted = false
        let outcome = try SharingWorld.outcome(of: capture) { bytes in
            var shared = SharingWorld(document: (try? JSONParser.parse(bytes)) ?? .null)
            shared.change(0) { entry in
                isPlanted = true
                entry["comment"] = .string(around.replacing("TOKEN", with: token))
            }
            return JSONWriter.bytes(of: shared.document)
        }
        #expect(isPlanted)
        #expect(outcome.leaks.contains { $0.kind == .accessToken && $0.entry == 0 && $0.path == "comment" })
        #expect(!outcome.isProven)
    }

    @Test func storyThatChangedIsNoticed() throws {
        let world = try SharingWorld()
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture) { bytes in
            // In what is written there is no ID token any more.
            Array(
                String(decoding: bytes, as: UTF8.self).replacing("\\\"id_token\\\"", with: "\\\"no_token\\\"")
                    .utf8
            )
        }
        #expect(outcome.leaks.isEmpty)
        #expect(!outcome.differences.isEmpty)
    }

    @Test func equalValuesStayEqualInCapturesThatAreSharedTogether() throws {
        let world = try SharingWorld()
        let capture = try world.capture()
        let token = try world.first("access_token")
        let texts = try SharingWorld.texts(of: [capture, capture])
        let standIns = try texts.map {
            try SharingWorld(document: JSONParser.parse($0)).first("access_token")
        }
        #expect(standIns[0] == standIns[1] && standIns[0] != token)
        // Shared another time it is another one.
        let again = try SharingWorld(document: JSONParser.parse(SharingWorld.texts(of: [capture])[0])).first(
            "access_token"
        )
        #expect(again != standIns[0])
    }

    @Test func whatIsToStayStays() throws {
        let world = try SharingWorld()
        let capture = try world.capture()
        let state = try #require(
            world.document["log"]?["entries"]?.array?[2]["request"]?["queryString"]?.array?[4]["value"]?
                .string
        )
        var options = SharingOptions()
        options.keptNames = ["state"]
        options.keepsPersonal = true
        options.alsoSources = ["harbour=[a-zA-Z0-9]{4}"]
        let text = String(decoding: try SharingWorld.texts(of: [capture], options)[0], as: UTF8.self)
        #expect(text.contains("state=\(state)"))
        #expect(text.contains("Alice"))
        #expect(!text.contains(try world.first("access_token")))
    }

    /// A slip in a name keeps nothing, and the report must not say otherwise.
    @Test func onlyWhatThereIsCountsAsKept() throws {
        let world = try SharingWorld()
        let capture = try world.capture()
        var options = SharingOptions()
        options.keptNames = ["stat", "state"]
        let report = try SharingWorld.outcome(of: capture, options).report
        #expect(report.keptNames == ["state"] && report.unmatchedNames == ["stat"])
        let text = SharingText.text(of: report, named: "login.har", style: .plain)
        #expect(text.contains("kept: the values of state\n"))
        let markdown = SharingMarkdown.text(of: report, named: "login.har")
        #expect(markdown.contains("Kept on purpose: the values of `state`."))
        #expect(!markdown.contains("`stat`"))
    }

    /// Where secrets stand may be a long list.
    @Test(arguments: [50, 60, 80]) func reportIsNoWiderThanTheTerminal(columns: Int) throws {
        let world = try SharingWorld()
        var report = try SharingWorld.outcome(of: try world.capture(), SharingOptions()).report
        report.rows[0].entries = Array(stride(from: 100, to: 130, by: 2))
        let whole = SharingText.text(of: report, named: "login.har", style: .plain)
        let text = SharingText.text(of: report, named: "login.har", style: .plain, columns: columns)
        let words = [whole, text].map { $0.split { $0 == " " || $0 == "\n" } }
        #expect(words[0] == words[1])
        #expect(whole.split(separator: "\n").contains { $0.count > 80 })
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(text)")
    }
}
