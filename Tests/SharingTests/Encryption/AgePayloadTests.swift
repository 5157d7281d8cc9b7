import Testing

@testable import Sharing

/// Payloads that are not as they were written.
struct AgePayloadTests {
    private static let full = HandmadeFile.bytes(65_536)
    private static let more = HandmadeFile.bytes(65_536, seed: 2)

    private static func error(of payload: [UInt8]) throws -> AgeError? {
        let file = try HandmadeFile.file(payload: payload)
        return #expect(throws: AgeError.self) { try HandmadeFile.decrypted(file) }
    }

    private static func error(of pieces: [(text: [UInt8], number: UInt64, isLast: Bool)]) throws -> AgeError?
    {
        try error(of: HandmadeFile.payload(pieces))
    }

    @Test func payloadThatIsRightIsOpened() throws {
        for pieces in [
            [([], 0, true)], [(Self.full, 0, true)], [(Self.full, 0, false), ([7], 1, true)],
            [(Self.full, 0, false), (Self.more, 1, true)],
        ] as [[(text: [UInt8], number: UInt64, isLast: Bool)]] {
            let file = try HandmadeFile.file(payload: HandmadeFile.payload(pieces))
            #expect(try HandmadeFile.decrypted(file) == pieces.flatMap(\.text))
        }
    }

    @Test func nonceOfAPieceIsItsNumberAndItsMark() {
        #expect(AgePayload.nonce(ofPiece: 0, isLast: false) == [UInt8](repeating: 0, count: 12))
        #expect(AgePayload.nonce(ofPiece: 0x0102, isLast: true) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1])
    }

    @Test func payloadThatIsCutOffIsNoticed() throws {
        // Nothing at all, a part of the nonce, the nonce alone, a part of a tag.
        let whole = try HandmadeFile.payload([([], 0, true)])
        for cut in 0..<whole.count { #expect(try Self.error(of: Array(whole[..<cut])) == .payloadCutOff) }
        // Between two pieces.
        #expect(try Self.error(of: [(Self.full, 0, false)]) == .payloadCutOff)
        #expect(try Self.error(of: [(Self.full, 0, false), (Self.more, 1, false)]) == .payloadCutOff)
        #expect(try Self.error(of: [(HandmadeFile.text, 0, false)]) == .payloadCutOff)
    }

    @Test func payloadThatIsCutInsideOfAPieceIsNoticed() throws {
        let whole = try HandmadeFile.payload([(Self.full, 0, false), (HandmadeFile.text, 1, true)])
        #expect(try Self.error(of: Array(whole.dropLast())) == .payloadChanged(piece: 2))
        #expect(try Self.error(of: Array(whole[..<(16 + 65_552 + 15)])) == .payloadCutOff)
        #expect(try Self.error(of: Array(whole[..<(16 + 65_551)])) == .payloadChanged(piece: 1))
    }

    @Test func lastPieceIsNotEmpty() throws {
        #expect(try Self.error(of: [(Self.full, 0, false), ([], 1, true)]) == .emptyLastPiece)
    }

    @Test func nothingFollowsTheLastPiece() throws {
        #expect(try Self.error(of: [(Self.full, 0, true), ([7], 1, true)]) == .trailingData)
        #expect(
            try Self.error(of: [(Self.full, 0, true), (Self.more, 1, false), ([7], 2, true)]) == .trailingData
        )
        let whole = try HandmadeFile.payload([(Self.full, 0, true)])
        #expect(try Self.error(of: whole + [0]) == .trailingData)
        #expect(try Self.error(of: whole + HandmadeFile.bytes(100_000)) == .trailingData)
        // Behind a short one it cannot be told from a change.
        let short = try HandmadeFile.payload([(HandmadeFile.text, 0, true)])
        #expect(try Self.error(of: short + [0x0a]) == .payloadChanged(piece: 1))
        #expect(try Self.error(of: short + HandmadeFile.bytes(100_000)) == .payloadChanged(piece: 1))
    }

    @Test func piecesStayInTheirOrder() throws {
        #expect(
            try Self.error(of: [(Self.more, 1, false), (Self.full, 0, false), ([7], 2, true)])
                == .payloadChanged(piece: 1)
        )
        #expect(try Self.error(of: [(Self.full, 0, false), ([7], 2, true)]) == .payloadChanged(piece: 2))
        #expect(try Self.error(of: [(Self.full, 1, true)]) == .payloadChanged(piece: 1))
    }

    @Test func whatWasOpenedBeforeAChangeIsGenuine() throws {
        var payload = try HandmadeFile.payload([
            (Self.full, 0, false), (Self.more, 1, false), (HandmadeFile.text, 2, true),
        ])
        payload[16 + 65_552 + 1000] ^= 4
        var text: [UInt8] = []
        #expect(throws: AgeError.payloadChanged(piece: 2)) {
            try HandmadeFile.decrypt(HandmadeFile.file(payload: payload), into: &text)
        }
        #expect(text == Self.full)
    }

    @Test func nonceIsPartOfTheKey() throws {
        var payload = try HandmadeFile.payload([(HandmadeFile.text, 0, true)])
        payload[0] ^= 1
        #expect(try Self.error(of: payload) == .payloadChanged(piece: 1))
    }
}
