import JSON

/// A body in a file, as the text of a member of an entry; written piece by piece, so that it is never in memory.
struct SpooledText: Sendable {
    let bytes: SpooledBytes
    /// Whether it stands as text, or else in Base64.
    let isText: Bool
    /// Before which of the entry's bytes it belongs.
    let place: Int

    /// Whether the bytes come back as they were from a text.
    static func isText(_ bytes: SpooledBytes) -> Bool {
        var check = TextCheck()
        return bytes.withPieces { check.receive($0) } && check.end()
    }

    /// Hands out the text as it is written, without quotes, until `write` fails.
    ///
    /// - Returns: the system's number for why it could not be read to its end; nil where it could, as far as was wanted.
    func readPieces(_ write: ([UInt8]) -> Bool) -> Int32? {
        var begun: [UInt8] = []
        var isWritten = true
        let trouble = bytes.readPieces { piece in
            // Neither a character nor three bytes of Base64 may be torn.
            var whole = begun
            whole.append(contentsOf: piece)
            let rest = whole.withUnsafeBufferPointer {
                isText ? TextCheck.unfinished($0) : $0.count % 3
            }
            begun = Array(whole.suffix(rest))
            whole.removeLast(rest)
            isWritten = write(encoded(whole))
            return isWritten
        }
        if trouble == nil, isWritten { _ = write(encoded(begun)) }
        return trouble
    }

    private func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 2 * 3)
        if isText {
            bytes.withUnsafeBufferPointer { JSONWriter.append(escaping: $0, to: &text) }
        } else {
            Base64.append(bytes, to: &text)
        }
        return text
    }
}
