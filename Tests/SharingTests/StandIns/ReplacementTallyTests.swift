import Captures
import JSON
import Testing

@testable import Sharing

/// Bodies in which nothing is replaced are looked through once.
struct ReplacementTallyTests {
    @Test func aBodyThatComesToNothingIsLookedThroughOnce() {
        var found = FoundSecrets()
        found.values["q7Zr2LkX9vTb4WmN"] = .state
        let tally = ReplacementTally(found, [:])
        let bundle = Array("function a(){return 1}".utf8)
        var count = 0
        func look(at body: [UInt8], as kind: TextKind = .json, _ other: [UInt8]?, noting: Bool = false)
            -> [UInt8]?
        {
            tally.recalling(KnownBody(body, as: kind)) {
                count += 1
                if noting { tally.note("q7Zr2LkX9vTb4WmN") }
                return other
            }
        }
        for _ in 0..<3 { #expect(look(at: bundle, nil) == nil) }
        #expect(count == 1)
        // As something else it may hold something.
        #expect(look(at: bundle, as: .html, [0x20]) == [0x20] && count == 2)
        #expect(look(at: bundle, as: .html, [0x20]) == [0x20] && count == 3)
        // What was counted is counted each time.
        for _ in 0..<2 { #expect(look(at: bundle + bundle, nil, noting: true) == nil) }
        #expect(count == 5 && tally.uses[.state]?.places == 2)
    }

    /// A bundle that is there twice, and a body with a secret of the login that is there twice as well.
    @Test func sameBodiesStaySame() throws {
        var world = try SharingWorld()
        let token = try world.first("access_token")
        let bundle = String(repeating: "function a(e,t){return e+t&&\"\\n\"};", count: 40)
        for body in [bundle, bundle, "var t=\"\(token)\";", "var t=\"\(token)\";"] {
            world.append("https://id.harbour.example/x", type: "application/javascript", body: body)
        }
        world.options.keepsAll = true
        let shared = try world.shared()
        let last = shared.capture.count
        let bodies = try ((last - 4)..<last).map {
            try shared.entry($0)["response"]?["content"]?["text"]?.string ?? ""
        }
        #expect(bodies[0] == bundle && bodies[1] == bundle)
        #expect(bodies[2] == bodies[3] && bodies[2].utf8.count == token.utf8.count + 9)
        #expect(!shared.text.contains(token))
    }
}
