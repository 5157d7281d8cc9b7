import Testing

@testable import Sharing

/// The armor: strict PEM around a file.
struct AgeArmorTests {
    private static let begin = "-----BEGIN AGE ENCRYPTED FILE-----"
    private static let end = "-----END AGE ENCRYPTED FILE-----"

    private static func undo(_ text: String) throws -> [UInt8] {
        var decoder = AgeArmorDecoder()
        var bytes: [UInt8] = []
        try decoder.push(Array(text.utf8)[...], into: &bytes)
        try decoder.finish(into: &bytes)
        return bytes
    }

    @Test(arguments: [1, 2, 3, 46, 47, 48, 49, 50, 95, 96, 97, 5000]) func bytesComeBack(count: Int) throws {
        let bytes = HandmadeFile.bytes(count)
        for lineEnd in ["\n", "\r\n"] {
            let text = String(decoding: HandmadeFile.armored(bytes, lineEnd: lineEnd), as: UTF8.self)
            #expect(try Self.undo(text) == bytes)
            #expect(try Self.undo(String(text.dropLast())) == bytes, "the last line end may be missing")
            #expect(try Self.undo("\(lineEnd) \t\(lineEnd)\(text) \t\(lineEnd)\(lineEnd)\t") == bytes)
        }
    }

    private static let full = String(repeating: "A", count: 64)

    @Test(
        arguments: [
            ("\(begin)\nAAAA\nAAAA\n\(end)\n", 3), ("\(begin)\n\n\(end)\n", 2),
            ("\(begin)\n\(full)\n\n\(end)\n", 3),
            ("\(begin)\n\(full)A\n\(end)\n", 2), ("\(begin)\n\(full)AAAA\n\(end)\n", 2),
            ("\(begin)\nAAA\n\(end)\n", 2), ("\(begin)\nAA\n\(end)\n", 2), ("\(begin)\nAB==\n\(end)\n", 2),
            ("\(begin)\nAAB=\n\(end)\n", 2), ("\(begin)\nA===\n\(end)\n", 2), ("\(begin)\n====\n\(end)\n", 2),
            ("\(begin)\nAA=A\n\(end)\n", 2), ("\(begin)\nAAAA=\n\(end)\n", 2),
            ("\(begin)\nAA=\n=\n\(end)\n", 2),
            ("\(begin)\nAA*A\n\(end)\n", 2), ("\(begin)\nAA-_\n\(end)\n", 2),
            ("\(begin)\n AAAA\n\(end)\n", 2),
            ("\(begin)\nAAAA \n\(end)\n", 2), ("\(begin)\nAAAA\r\r\n\(end)\n", 2),
            ("\(begin) \nAAAA\n\(end)\n", 1), ("\(begin)\nAAAA\n \(end)\n", 3),
            ("\(begin)\nAAAA\n\(end) \n", 3),
            ("\(begin)\nComment: x\n\nAAAA\n\(end)\n", 2), ("\(begin)\nAAAA\n=abcd\n\(end)\n", 3),
            ("\(begin.lowercased())\nAAAA\n\(end)\n", 1), ("-----BEGIN AGE FILE-----\nAAAA\n\(end)\n", 1),
            ("\(begin)\nAAAA\n-----END AGE FILE-----\n", 3), ("x\n\(begin)\nAAAA\n\(end)\n", 1),
            ("\n\nx\(begin)\nAAAA\n\(end)\n", 3), ("\(begin)\(String(repeating: "-", count: 100))", 1),
            ("\(begin)\n\(String(repeating: "A", count: 1 << 16))", 2),
        ] as [(String, Int)]
    )
    func lineThatIsNotAsItShouldBeIsNamed(text: String, number: Int) throws {
        let error = try #require(throws: AgeError.self) { try Self.undo(text) }
        guard case .malformedArmor(number, _) = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func nothingFollowsTheArmor() {
        for behind in ["x", " \n x", begin2] {
            #expect(throws: AgeError.trailingData) {
                try Self.undo("\(Self.begin)\nAAAA\n\(Self.end)\n\(behind)")
            }
        }
    }

    private let begin2 = "\n-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\n-----END AGE ENCRYPTED FILE-----\n"

    @Test func armorThatIsCutOffIsNoticed() throws {
        let file = try HandmadeFile.armored(HandmadeFile.file([HandmadeFile.stanza()]))
        // All but the last line end.
        for cut in 1..<(file.count - 1) {
            #expect(throws: AgeError.self) { try HandmadeFile.decrypted(Array(file[..<cut])) }
        }
        #expect(throws: AgeError.armorCutOff) { try Self.undo("\(Self.begin)\nAAAA\n") }
        #expect(throws: AgeError.armorCutOff) { try Self.undo("\(Self.begin)\n\(Self.full)") }
        #expect(throws: AgeError.armorCutOff) { try Self.undo("  \n") }
    }

    @Test func armorAroundNothingIsNoFile() {
        #expect(throws: AgeError.headerCutOff) {
            try HandmadeFile.decrypted(Array("\(Self.begin)\n\(Self.end)\n".utf8))
        }
        #expect(throws: AgeError.headerCutOff) { try HandmadeFile.decrypted([]) }
    }
}
