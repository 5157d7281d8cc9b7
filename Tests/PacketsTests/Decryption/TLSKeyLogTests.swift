@testable import Packets
import TestSupport
import Testing

struct TLSKeyLogTests {
    private static let random = String(repeating: "0a", count: 32)
    private static let other = String(repeating: "Fb", count: 32)
    private static let short = String(repeating: "5c", count: 32)
    private static let long = String(repeating: "5d", count: 48)
    private static let least = String(repeating: "01", count: 48)

    private func key(_ text: String) throws -> TLSRandom { try #require(TLSRandom([UInt8](hex: text))) }

    @Test func everyLabelIsFound() throws {
        var lines = ["# made by nobody", ""]
        for label in TLSKeyLog.Label.allCases {
            lines.append("\(label.rawValue) \(Self.random) \(Self.long)")
        }
        lines.append("SERVER_TRAFFIC_SECRET_0\t\(Self.other)  \(Self.short) ")
        for end in ["\n", "\r\n", "\r"] {
            let log = TLSKeyLog(lines.joined(separator: end))
            #expect(log.count == TLSKeyLog.Label.allCases.count + 1 && log.problems.isEmpty)
            for label in TLSKeyLog.Label.allCases {
                #expect(log.secret(label, for: try key(Self.random))?.hex == Self.long)
            }
            #expect(log.secret(.serverTraffic, for: try key(Self.other.lowercased()))?.hex == Self.short)
            #expect(log.secret(.clientTraffic, for: try key(Self.other)) == nil)
            #expect(log.hasSecrets(for: try key(Self.other)))
        }
    }

    /// A large file's secrets are looked up in it and not held; what is found is the same.
    @Test func secretsOfALargeFileAreFoundInIt() throws {
        var generator = SeededGenerator(seed: 7)
        let randoms = (0..<60).map { _ in (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        var text: [UInt8] = Array("\u{feff}# made by nobody\r\n".utf8)
        for _ in 0..<1000 {
            let random = randoms[Int.random(in: 0..<45, using: &generator)]
            let label = TLSKeyLog.Label.allCases.randomElement(using: &generator) ?? .exporter
            let secret = (0..<48).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Of one connection more lines stand together than one look at the file shows.
            for _ in 0..<(Int.random(in: 0..<100, using: &generator) == 0 ? 160 : 1) {
                text += "\(label.rawValue) \(random.hex) \(secret.hex)\r\n".utf8
            }
            if Bool.random(using: &generator) { text += "# \(random.hex)\n\nnonsense\n".utf8 }
        }
        text += "CLIENT_RANDOM \(randoms[45].hex) \(Self.long)".utf8
        var held = TLSKeyLog()
        held.add(text)
        held.finish()
        for size in [100, 4096, 65_536, text.count] {
            var found = TLSKeyLog()
            found.begin(file: "keys.log") { [text] in Array(text.dropFirst($0).prefix($1)) }
            for start in stride(from: 0, to: text.count, by: size) {
                found.add(Array(text[start..<min(text.count, start + size)]))
            }
            found.finish()
            #expect(found.count == 0 && found.connections == held.connections)
            #expect(found.goodLines == held.goodLines && found.problemCount == held.problemCount)
            for random in randoms.compactMap({ TLSRandom($0) }) {
                #expect(found.hasSecrets(for: random) == held.hasSecrets(for: random))
                for label in TLSKeyLog.Label.allCases {
                    #expect(found.secret(label, for: random) == held.secret(label, for: random))
                }
            }
        }
        // A file that is not what it was gives nothing.
        var changed = TLSKeyLog()
        changed.begin(file: "keys.log") { _, _ in Array("nonsense\n".utf8) }
        changed.add(text)
        changed.finish()
        #expect(!changed.hasSecrets(for: try #require(TLSRandom(randoms[45]))))
    }

    /// The log that a program's output is; `isHeld`: whether its secrets are in memory, and not looked up in the file.
    private func read(_ text: [UInt8], isHeld: Bool) -> TLSKeyLog {
        let reread: @Sendable (Int, Int) -> [UInt8] = { Array(text.dropFirst($0).prefix($1)) }
        var log = TLSKeyLog()
        log.begin(file: "app.log", rereading: isHeld ? nil : reread)
        log.add(text)
        log.finish()
        return log
    }

    /// What collects the output of programs puts its own words before each line.
    @Test(arguments: [
        "app-1  | ", "Nov 28 06:00:00 host app[12]: ", "2026-11-28T06:00:00.123Z stdout F ", "[keylog] INFO ",
    ])
    func wordsBeforeALineArePassedOver(words: String) throws {
        let log = TLSKeyLog(
            "\(words)ready\n\(words)CLIENT_RANDOM \(Self.random) \(Self.long)\r\n\(words)CLIENT_RANDOM \(Self.other) 5d5d\n"
        )
        #expect(log.secret(.masterSecret, for: try key(Self.random))?.hex == Self.long)
        #expect(log.count == 1 && log.problemCount == 2)
    }

    /// Words before a line of a key log, and behind it.
    private static let surroundings: [(before: String, behind: String)] = [
        (#"{"log":""#, #"\n","stream":"stdout","time":"2026-11-28T06:00:00.123Z"}"#),
        (#"{"_PID":"12","MESSAGE":""#, #"","PRIORITY":"6"}"#),
        (#"{"level": "info", "msg": ""#, #"", "n": 1}"#),
        ("'", "'"),
        ("app[12]: ", " (written)"), ("\u{1b}[36mapp-1 | \u{1b}[0m", "\u{1b}[0m"),
        ("\u{1b}[32m", "\u{1b}[0m"),
    ]

    /// Where a line of the output is a line of JSON; also in a file that is not held.
    @Test(arguments: surroundings)
    func wordsAroundALineArePassedOver(before: String, behind: String) throws {
        let lines = [
            "ready", "CLIENT_RANDOM \(Self.random) \(Self.long)", "CLIENT_RANDOM \(Self.other) 5d5d",
            "CLIENT_TRAFFIC_SECRET_0 \(Self.other) \(Self.short)x",
        ]
        let text = Array(lines.map { before + $0 + behind }.joined(separator: "\n").utf8)
        for isHeld in [true, false] {
            let log = read(text, isHeld: isHeld)
            #expect(log.secret(.masterSecret, for: try key(Self.random))?.hex == Self.long)
            #expect(log.connections == 1 && log.goodLines == 1)
        }
    }

    /// Several lines that were written at once are one text in a line of JSON.
    @Test(arguments: [#"\n"#, #"\r\n"#]) func severalLinesInALineOfJSONAreRead(end: String) throws {
        let lines = [
            "CLIENT_TRAFFIC_SECRET_0 \(Self.random) \(Self.short)",
            "SERVER_TRAFFIC_SECRET_0 \(Self.random) 5d5d",
            "CLIENT_RANDOM \(Self.other) \(Self.long)",
        ]
        let text = Array(#"{"log":"\#(lines.joined(separator: end))\n","stream":"stdout"}"#.utf8)
        for isHeld in [true, false] {
            let log = read(text, isHeld: isHeld)
            #expect(log.secret(.clientTraffic, for: try key(Self.random))?.hex == Self.short)
            #expect(log.secret(.serverTraffic, for: try key(Self.random)) == nil)
            #expect(log.secret(.masterSecret, for: try key(Self.other))?.hex == Self.long)
            #expect(log.connections == 2 && log.goodLines == 1 && log.problemCount == 0)
        }
    }

    @Test func linesWhoseEndsBecameSpacesAreRead() throws {
        let log = TLSKeyLog(
            "CLIENT_TRAFFIC_SECRET_0 \(Self.random) \(Self.short) SERVER_TRAFFIC_SECRET_0 \(Self.random) 5d5d "
                + "CLIENT_RANDOM \(Self.other) \(Self.long)\n"
        )
        #expect(log.secret(.clientTraffic, for: try key(Self.random))?.hex == Self.short)
        #expect(log.secret(.serverTraffic, for: try key(Self.random)) == nil)
        #expect(log.secret(.masterSecret, for: try key(Self.other))?.hex == Self.long)
        #expect(log.connections == 2 && log.goodLines == 1 && log.problemCount == 0)
    }

    /// What a text becomes in a table, on a page or in a message: its words are the same.
    @Test(arguments: [
        ("CLIENT_RANDOM,\(random),\(long)", "\n"), ("\"CLIENT_RANDOM\";\"\(random)\";\"\(long)\"", "\r\n"),
        ("CLIENT_RANDOM\u{a0}\(random)\u{a0}\(long)", "\n"), ("CLIENT_RANDOM \(random) \(long)", ","),
        ("CLIENT_RANDOM \(random) \(long)", ", "), ("client_random \(random) \(long)", "\n"),
        ("CLIENT_RANDOM \(random) \(long) # of the browser", "\n"),
        ("- CLIENT_RANDOM \(random) \(long)", "\n"),
    ])
    func whatStandsBetweenTheWordsMayBeAnotherThing(line: String, end: String) throws {
        let other = line.replacing(Self.random, with: Self.other).replacing(Self.long, with: Self.least)
        for isHeld in [true, false] {
            let log = read(Array((line + end + other + end).utf8), isHeld: isHeld)
            #expect(log.secret(.masterSecret, for: try key(Self.random))?.hex == Self.long)
            #expect(log.secret(.masterSecret, for: try key(Self.other))?.hex == Self.least)
            #expect(log.connections == 2 && log.problemCount == 0)
        }
    }

    /// A whole file whose line ends became something else is one line, however it is cut.
    @Test(arguments: [",", " ", "\u{a0}", #"\n"#], [1000, 65_536, 1 << 20])
    func aLineOfAWholeFileIsRead(end: String, size: Int) throws {
        let randoms = (0..<200).map { number in
            String(repeating: "0a", count: 30) + UInt16(number).bigEndianBytes.hex
        }
        let lines = randoms.map { "CLIENT_RANDOM \($0) \(Self.long)" }
        let text = Array(
            "\(lines.joined(separator: end))\nEXPORTER_SECRET \(Self.other) \(Self.short)\n".utf8
        )
        for isHeld in [true, false] {
            let log = Self.log(of: text, inPiecesOf: size, isHeld: isHeld)
            for random in randoms {
                #expect(log.secret(.masterSecret, for: try key(random))?.hex == Self.long)
            }
            #expect(log.secret(.exporter, for: try key(Self.other))?.hex == Self.short)
            #expect(log.connections == 201 && log.goodLines == 2 && log.problemCount == 0)
        }
    }

    @Test func longCommentSaysNothing() throws {
        let line = "CLIENT_RANDOM \(Self.random) \(Self.long) "
        let log = TLSKeyLog(
            "# \(String(repeating: line, count: 200))\nCLIENT_RANDOM \(Self.other) \(Self.long)\n"
        )
        #expect(log.count == 1 && log.goodLines == 1 && log.problemCount == 0)
        #expect(log.secret(.masterSecret, for: try key(Self.random)) == nil)
    }

    /// What journald makes of a text that has more in it than printable characters; also in a file that is not held.
    @Test(arguments: [",", ", "], [true, false])
    func bytesInAnArrayOfJSONAreRead(comma: String, isHeld: Bool) throws {
        func array(_ text: String) -> String {
            "{\"_PID\":\"12\",\"MESSAGE\":[" + text.utf8.map { "\($0)" }.joined(separator: comma)
                + "],\"a\":[1,[2]]}\n"
        }
        let text = Array(
            (array("\u{1b}[32mready\u{1b}[0m")
                + array("\u{1b}[32mCLIENT_RANDOM \(Self.random) \(Self.long)\u{1b}[0m")
                + array("CLIENT_TRAFFIC_SECRET_0 \(Self.other) 5d5d")
                + array("CLIENT_RANDOM \(Self.other) \(Self.long)").replacing("67,", with: "323,"))
                .utf8
        )
        let log = read(text, isHeld: isHeld)
        #expect(log.secret(.masterSecret, for: try key(Self.random))?.hex == Self.long)
        #expect(log.connections == 1 && log.goodLines == 1)
    }

    @Test func linesMayComeInPieces() throws {
        let text = Array(
            "\u{feff}CLIENT_RANDOM \(Self.random) \(Self.long)\r\nnonsense\nEXPORTER_SECRET \(Self.other) \(Self.short)"
                .utf8
        )
        for size in [1, 7, 100] {
            var log = TLSKeyLog()
            for start in stride(from: 0, to: text.count, by: size) {
                log.add(Array(text[start..<min(text.count, start + size)]))
            }
            #expect(log.count == 1)
            log.add(Array("\n".utf8))
            #expect(log.count == 2)
            #expect(log.problems == [.init(line: 2, reason: "does not begin with a label")])
        }
    }

    /// What is read of a file in pieces; `isHeld`: false for one that is not kept, and read once more.
    private static func log(of text: [UInt8], inPiecesOf size: Int, isHeld: Bool) -> TLSKeyLog {
        let reread: @Sendable (Int, Int) -> [UInt8] = { Array(text.dropFirst($0).prefix($1)) }
        var log = TLSKeyLog()
        log.begin(file: "keys.log", rereading: isHeld ? nil : reread)
        for start in stride(from: 0, to: text.count, by: size) {
            log.add(Array(text[start..<min(text.count, start + size)]))
        }
        log.finish()
        return log
    }

    /// However they end, and wherever they are cut; those of a file that is not held, too.
    @Test(arguments: ["\n", "\r\n", "\r"]) func linesAreTheSameWithEveryEnd(end: String) throws {
        let lines = [
            "# made by nobody", "", "CLIENT_RANDOM \(Self.random) \(Self.long)", "nonsense",
            "EXPORTER_SECRET \(Self.other) \(Self.short)", "",
        ]
        let text = Array(lines.joined(separator: end).utf8)
        for size in [1, 7, text.count] {
            for isHeld in [true, false] {
                let log = Self.log(of: text, inPiecesOf: size, isHeld: isHeld)
                #expect(log.problems.map(\.line) == [4])
                #expect(log.connections == 2)
                #expect(log.secret(.masterSecret, for: try key(Self.random))?.hex == Self.long)
                #expect(log.secret(.exporter, for: try key(Self.other.lowercased()))?.hex == Self.short)
            }
        }
    }

    @Test func lastLineWithoutAnEndIsReadWhenNothingMoreComes() {
        var log = TLSKeyLog()
        log.add(Array("CLIENT_RANDOM \(Self.random) \(Self.long)".utf8))
        #expect(log.count == 0)
        log.finish()
        #expect(log.count == 1)
    }

    @Test(
        arguments: [
            "CLIENT_RANDOM", "CLIENT_RANDOM \(random)", "CLIENT_RANDOM \(random) \(short)",
            "CLIENT_RANDOM \(random)0 \(long)", "CLIENT_RANDOM \(random) \(long)x",
            "CLIENT_TRAFFIC_SECRET_0 \(random) \(long)\(long)", "CLIENT_TRAFFIC_SECRET_0 \(random) zz",
            "client_randoms \(random) \(long)", "\u{0}\u{1}\u{ff}",
            String(repeating: "A", count: 50_000),
        ]
    )
    func badLinesAreCountedWithTheirNumber(_ line: String) {
        let log = TLSKeyLog("# first\n\(line)\nCLIENT_RANDOM \(Self.random) \(Self.long)\n")
        #expect(log.problems.map(\.line) == [2] && log.problemCount == 1)
        #expect(log.count == 1)
    }

    @Test func linesOfOtherKindsAreNoProblem() {
        let log = TLSKeyLog(
            "RSA Session-ID:0a Master-Key:\(Self.short)\nECH_SECRET \(Self.random) \(Self.short)\n"
        )
        #expect(log.problems.isEmpty && log.unusedLines == 2 && log.count == 0 && log.connections == 0)
    }

    @Test func premasterSecretsAreKnownByWhatWasSentOfThem() {
        let log = TLSKeyLog("RSA 0123456789ABCDEF \(Self.long)\nRSA 0123456789ABCD \(Self.long)\n")
        #expect(log.premaster(named: [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef])?.hex == Self.long)
        #expect(log.premaster(named: [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd]) == nil)
        #expect(log.connections == 1 && log.unusedLines == 1 && log.problems.isEmpty)
    }

    @Test func masterSecretsAreKnownByTheirSession() {
        let log = TLSKeyLog(
            "RSA Session-ID:0A0b Master-Key:\(Self.long)\n"
                + "Nov 28 lb info tmm[1]: Rule /Common/keys: RSA Session-ID:0c Master-Key:\(Self.long)\n"
                + "RSA Session-ID: Master-Key:\(Self.long)\n"
        )
        #expect(log.master(ofSession: [0x0a, 0x0b])?.hex == Self.long)
        #expect(log.master(ofSession: [0x0c])?.hex == Self.long)
        #expect(log.master(ofSession: []) == nil && log.master(ofSession: [0x0a]) == nil)
        #expect(log.connections == 2 && log.goodLines == 3 && log.problems.isEmpty)
    }

    @Test func problemsAreBounded() {
        var log = TLSKeyLog()
        for _ in 0..<1000 { log.add(Array("?\n".utf8)) }
        #expect(log.problems.count == 100 && log.problemCount == 1000)
        log.add([UInt8](repeating: 0x41, count: 1 << 20))
        log.add(Array("\nCLIENT_RANDOM \(Self.random) \(Self.long)\n".utf8))
        #expect(log.problemCount == 1001 && log.count == 1)
    }
}
