import JSON
import Sharing
import TestSupport
import Testing

/// Random secrets in random nests of encodings with random surroundings.
struct LeakFuzzTests {
    static let alphabets: [[Character]] = [
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=",
        "0123456789abcdef", "abcdefghjkmnpqrstuvwxyz23456789!$%&/()=?+*#-_.:,;<>@|~^'\"\\ ",
        "aäbcdéfgüßxyzñøžłЖд0123456789", "ab%25\\u004&;#x",
    ].map { Array($0) }

    static let noise: [Character] = Array(
        #"abcdefXYZ0123456789 %%%&&\\\/"'<>={}[]:;,.+-_?#uxn"# + "\n\u{1}äé密"
    )
    /// Belong to no escape that begins before a text or ends behind it.
    static let fences: [Character] = Array(" =\":,()<>[]")

    var random: SeededGenerator

    init() { random = SeededGenerator(seed: 0x5ca_17ea4) }

    mutating func text(_ characters: [Character], _ count: ClosedRange<Int>) -> String {
        String(
            (0..<Int.random(in: count, using: &random)).map { _ in
                characters.randomElement(using: &random) ?? "x"
            }
        )
    }

    mutating func fence() -> String { text(Self.fences, 1...1) }

    mutating func nest() -> [SecretSpelling] {
        (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
            SecretSpelling.allCases.randomElement(using: &random)
        }
    }

    /// The text in its encodings, from the last one on, something else around it in each.
    mutating func wrapped(_ text: String, _ nest: [SecretSpelling]) -> String {
        var text = text
        for spelling in nest.reversed() {
            text = spelling.write(
                self.text(Self.noise, 0...40) + fence() + text + fence() + self.text(Self.noise, 0...40)
            )
        }
        return self.text(Self.noise, 0...40) + fence() + text + fence() + self.text(Self.noise, 0...40)
    }

    @Test mutating func aSecretIsFoundInEveryNest() {
        for round in 0..<1000 {
            let alphabet = Self.alphabets.randomElement(using: &random) ?? []
            let secret = text(alphabet, 12...60)
            let others = (0..<5).map { _ in Secret(.state, text(alphabet, 12...60)) }
            let scan = LeakScan(secrets: others + [Secret(.accessToken, secret)], lawful: [], short: [:])
            let start = Int.random(in: 0...secret.count - 12, using: &random)
            let piece = String(secret.dropFirst(start).prefix(Int.random(in: 12...60, using: &random)))
            let nest = nest()
            let shared = wrapped(piece, nest)
            let leaks = scan.leaks(in: ["text": .string(shared)])
            #expect(!leaks.isEmpty, "round \(round): \(piece) in \(nest): \(shared)")
            #expect(leaks.allSatisfy { $0.offset < shared.utf8.count })
        }
    }

    @Test mutating func aStandInIsNeverALeak() {
        for round in 0..<500 {
            // Of the last alphabet, twelve characters in a row are the same by accident.
            let alphabet = Self.alphabets.dropLast().randomElement(using: &random) ?? []
            let secrets = (0..<20).map { _ in text(alphabet, 12...400) }
            let scan = LeakScan(
                secrets: secrets.map { Secret(.accessToken, $0) },
                lawful: [],
                short: [NamedValue("state", "\u{2}"): .state]
            )
            let standIn = text(alphabet, 12...400)
            let nest = nest()
            let shared = wrapped(standIn, nest)
            let leaks = scan.leaks(in: ["text": .string(shared)])
            #expect(leaks.isEmpty, "round \(round): \(standIn) in \(nest): \(leaks)")
        }
    }

    @Test mutating func hostileTextEndsNothing() {
        let scan = LeakScan(
            secrets: [Secret(.state, "abcdefghijklmnop")],
            lawful: [],
            short: [NamedValue("name", "value"): .state, NamedValue("id", "x"): .state]
        )
        let interesting = Array("%&\\u#x41;{}[]\"'<>=:name id=value\n\r".utf8)
        for _ in 0..<600 {
            let bytes = random.hostileBytes(Int.random(in: 0...300, using: &random), among: interesting)
            for leak in scan.leaks(inText: bytes) { #expect(leak.offset < bytes.count) }
            _ = scan.leaks(in: [
                "encoding": "base64", "text": .string(SecretSpelling.base64.write(bytes: bytes)),
            ])
        }
    }
}
