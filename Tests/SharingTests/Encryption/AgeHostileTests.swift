import TestSupport
import Testing

@testable import Sharing

/// Files that somebody has changed: none opens, none brings the program down.
struct AgeHostileTests {
    /// One for two keys, and one for a passphrase.
    private static func files() throws -> [[UInt8]] {
        [
            try HandmadeFile.encrypted(
                HandmadeFile.text,
                to: [HandmadeFile.otherIdentity().recipient, HandmadeFile.identity().recipient]
            ),
            try HandmadeFile.encrypted(HandmadeFile.text, to: [.passphrase("correct horse", logN: 1)]),
        ]
    }

    @Test func flippedBitOpensNowhere() throws {
        for file in try Self.files() {
            for index in file.indices {
                var changed = file
                changed[index] ^= 1 << UInt8(index % 8)
                #expect(throws: AgeError.self, "byte \(index)") { try HandmadeFile.decrypted(changed) }
            }
        }
    }

    /// In the header's text some flips keep a line well-formed, so there each of them is tried.
    @Test func flippedBitOfTheHeaderOpensNowhere() throws {
        let file = try HandmadeFile.encrypted(HandmadeFile.text, to: [HandmadeFile.identity().recipient])
        for index in 0..<168 {
            for bit in 0..<8 {
                var changed = file
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: AgeError.self, "byte \(index), bit \(bit)") {
                    try HandmadeFile.decrypted(changed)
                }
            }
        }
    }

    @Test func beginningOfAFileOpensNowhere() throws {
        for file in try Self.files() {
            let payload = file.count - (16 + HandmadeFile.text.count + 16)
            for cut in file.indices {
                let error = try #require(throws: AgeError.self) {
                    try HandmadeFile.decrypted(Array(file[..<cut]))
                }
                #expect(
                    cut < payload
                        ? error == .headerCutOff
                        : error == .payloadCutOff || error == .payloadChanged(piece: 1),
                    "\(cut): \(error)"
                )
            }
        }
    }

    @Test func missingAndDoubledBytesOpenNowhere() throws {
        for file in try Self.files() {
            for index in file.indices {
                var shorter = file
                shorter.remove(at: index)
                // Of two equal neighbours it does not matter which is missing; the file is shorter all the same.
                #expect(throws: AgeError.self) { try HandmadeFile.decrypted(shorter) }
                var longer = file
                longer.insert(file[index], at: index)
                #expect(throws: AgeError.self) { try HandmadeFile.decrypted(longer) }
            }
        }
    }

    /// Digits of a stanza's work factor may come to be larger, so this costs time where they are not bounded.
    @Test(arguments: 0..<200) func garbageOpensNowhere(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let interesting = Array("\n\r ->X25519 scrypt=-/+A19\u{0}".utf8)
        let garbage = generator.hostileBytes(400, among: interesting)
        for start in [
            "", "age-encryption.org/v1\n", "age-encryption.org/v1\n-> X25519 ",
            "-----BEGIN AGE ENCRYPTED FILE-----\n",
        ] {
            #expect(throws: AgeError.self) { try HandmadeFile.decrypted(Array(start.utf8) + garbage) }
        }
        // And pieces of real files, cut and put together anew.
        let files = try Self.files()
        let first = try #require(files.randomElement(using: &generator))
        let second = try #require(files.randomElement(using: &generator))
        let joined =
            first.prefix(Int.random(in: 0..<first.count, using: &generator))
            + second.suffix(Int.random(in: 0..<second.count, using: &generator))
        if !files.contains(Array(joined)) {
            #expect(throws: AgeError.self) { try HandmadeFile.decrypted(Array(joined)) }
        }
    }

    @Test func everyErrorSaysWhatToDo() {
        let errors: [AgeError] = [
            .unsupportedVersion("v2"), .malformedHeader(line: 1, expected: "x"), .headerTooLong,
            .tooManyStanzas,
            .passphraseBesideOthers, .malformedStanza(type: "X25519", expected: "x"),
            .workFactorTooHigh(logN: 22), .workFactorTooHigh(logN: 9999), .smallOrderShare,
            .malformedArmor(line: 1, expected: "x"), .headerCutOff, .payloadCutOff, .armorCutOff,
            .headerChanged,
            .payloadChanged(piece: 1), .emptyLastPiece, .trailingData, .noIdentity(types: ["X25519"]),
            .noMatch(types: [], recipients: ["age1a", "age1b"]), .wrongPassphrase,
            .notAnIdentity(line: 1, reason: "x"),
            .noUsableIdentity(found: []), .noUsableIdentity(found: ["x"]),
            .notARecipient(line: nil, reason: "x"),
            .notARecipient(line: 2, reason: "x"), .noRecipients, .tooManyRecipients,
            .passphraseBesideRecipients, .emptyPassphrase, .cryptography("x"),
        ]
        for error in errors {
            #expect(!error.description.isEmpty && error.description.first?.isUppercase == false)
            #expect(!error.hint.isEmpty && !error.hint.hasSuffix("."))
        }
        #expect(AgeError.workFactorTooHigh(logN: 22).hint.contains("4 GiB"))
    }
}
