import Captures
import Foundation
import JSON
import Testing

@testable import Sharing

/// Texts that are secret wherever they stand, however short they are.
struct SureWordsTests {
    private static func encoded(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

    @Test(arguments: ["hunter2!x", "Summer2026!", "bluefish77", "wonderland", "swordfish"])
    func knownPasswordIsReplacedWhereverItStands(password: String) throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append(
            "https://api.example.net/login?again=\(password)",
            headers: [("X-Trace", "tried \(password), twice")],
            type: "application/json",
            body: #"{"password":"\#(password)"}"#
        )
        let percent = password.replacing("!", with: "%21")
        let reference = password.replacing("!", with: "&#33;")
        world.append(
            "https://api.example.net/echo?x=a%20\(percent)",
            type: "text/html",
            body: """
                <b>\(password)</b> {"error_description":"\(password) is wrong","input":"\(password)"} \
                \(Self.encoded(password)) \(Self.encoded("somebody typed \(password) here")) \(reference) \
                \(password.uppercased())
                """
        )
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture, world.options)
        #expect(outcome.isProven)
        let text = String(decoding: try SharingWorld.texts(of: [capture], world.options)[0], as: UTF8.self)
        for spelling in [password, percent, reference, Self.encoded(password), password.uppercased()] {
            #expect(!text.contains(spelling), "\(spelling)")
        }
        // What was forgotten is seen.
        for spelling in ["said \(password).", "x=\(percent)&", Self.encoded(password)] {
            let leaky = try world.outcome(leaving: #""comment":"\#(spelling)""#)
            #expect(!leaky.leaks.isEmpty, "\(spelling)")
        }
    }

    @Test(arguments: ["password", "secret", "example"])
    func commonWordIsSecretWhereItIsNamedOnly(word: String) throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append(
            "https://api.example.net/x",
            json: #"{"password":"\#(word)","text":"the \#(word) is wrong"}"#
        )
        let shared = try world.shared()
        #expect(shared.text.contains("the \(word) is wrong"))
        #expect(!shared.text.contains(#"\"password\":\"\#(word)\""#))
        #expect(shared.differences.isEmpty)
    }

    @Test(arguments: [("abc12", false), ("abcde", true), ("ab12", true), ("12345", true)])
    func shortPasswordIsSecretWhereItIsNamedUnlessItIsNoWord(word: String, stays: Bool) throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append(
            "https://api.example.net/x",
            json: #"{"password":"\#(word)","text":"tried \#(word) twice, abc123"}"#
        )
        let shared = try world.shared()
        #expect(shared.text.contains("tried \(word) twice") == stays)
        #expect(shared.text.contains("twice, abc123"))
    }

    @Test func partsOfWordsStay() throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append(
            "https://api.example.net/x",
            json: #"{"password":"wonder","text":"a wonderful wonder"}"#
        )
        let text = try world.shared().text
        #expect(text.contains("a wonderful ") && !text.contains("a wonderful wonder"))
    }

    @Test(arguments: [("ACME-[0-9]+", "ACME-99"), ("K9", "K9"), ("Z[üö]ri", "Züri"), ("###", "###")])
    func whatIsAskedForIsReplacedWhateverItsLength(pattern: String, text: String) throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.options.alsoSources = [pattern, "never-in-there"]
        world.append(
            "https://api.example.net/\(text.hasPrefix("#") ? "" : text)",
            headers: [("X-Ticket", text)],
            type: "text/html",
            body: "<a title='\(text)'>\(text)</a>, \(text)."
        )
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture, world.options)
        #expect(outcome.leaks.isEmpty && outcome.unprotected.isEmpty && outcome.differences.isEmpty)
        #expect(outcome.report.asked.map(\.values) == [1, 0])
        let bytes = try SharingWorld.texts(of: [capture], world.options)[0]
        // Two characters may stand in somebody else's stand-in: only where they were asked for they must not be.
        let shared = try CaptureReader.read(bytes: bytes, name: "shared")
        let entry = try #require(shared.text(ofEntry: shared.count - 1))
        #expect(!String(decoding: entry, as: UTF8.self).contains(text))
    }

    /// What the program would keep, a client's name, is replaced as well, and in the same way everywhere.
    @Test func whatIsAskedForIsReplacedWhateverItsRole() throws {
        var world = try SharingWorld()
        let client = try world.queryValue("client_id", of: 2)
        world.options.alsoSources = [NSRegularExpression.escapedPattern(for: client)]
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture, world.options)
        #expect(!outcome.report.open.contains { $0.contains(client) })
        #expect(outcome.isProven)
        let shared = try SharingWorld.texts(of: [capture], world.options)[0]
        #expect(!String(decoding: shared, as: UTF8.self).contains(client))
    }
}
