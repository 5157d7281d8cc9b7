import LibCrypto

/// Opens a payload as it comes, in pieces of any size; holds 64 KiB of it at most, beside what is pushed.
struct AgePayloadDecryptor {
    private let fileKey: AgeFileKey
    /// Known when the nonce is there.
    private var key: [UInt8]?
    private var held: [UInt8] = []
    private var number: UInt64 = 0

    init(fileKey: AgeFileKey) { self.fileKey = fileKey }

    /// Appends the text of all pieces that are known not to be the last.
    ///
    /// - Throws: ``AgeError`` at the first piece that does not open; what was appended before is genuine.
    mutating func push(_ bytes: ArraySlice<UInt8>, into text: inout [UInt8]) throws(AgeError) {
        held += bytes
        var start = 0
        if key == nil {
            guard held.count >= AgePayload.nonceSize else { return }
            key = try fileKey.payloadKey(nonce: Array(held[..<AgePayload.nonceSize]))
            start = AgePayload.nonceSize
        }
        while held.count - start > AgePayload.sealedSize {
            let piece = held[start..<(start + AgePayload.sealedSize)]
            guard let opened = open(piece, isLast: false) else {
                throw open(piece, isLast: true) == nil ? changed : .trailingData
            }
            text += opened
            number += 1
            start += AgePayload.sealedSize
        }
        held.removeSubrange(..<start)
    }

    /// Appends the text of the last piece.
    ///
    /// - Throws: ``AgeError`` when it is missing, or not as it was written.
    mutating func finish(into text: inout [UInt8]) throws(AgeError) {
        guard held.count >= AuthenticatedCipher.tagSize else { throw .payloadCutOff }
        guard let opened = open(held[...], isLast: true) else {
            // A file that is cut between two pieces ends with one that is not the last.
            throw open(held[...], isLast: false) == nil ? changed : .payloadCutOff
        }
        guard !opened.isEmpty || number == 0 else { throw .emptyLastPiece }
        text += opened
    }

    private var changed: AgeError { .payloadChanged(piece: Int(clamping: number) + 1) }

    private func open(_ piece: ArraySlice<UInt8>, isLast: Bool) -> [UInt8]? {
        guard let key else { return nil }
        return AuthenticatedCipher.open(
            piece,
            key: key,
            nonce: AgePayload.nonce(ofPiece: number, isLast: isLast)
        )
    }
}
