import Captures

/// Secrets whose bytes are written one by one, or by digits of their own.
extension TextSweeper {
    /// A secret in hexadecimal with something between its digits.
    func replacingGroups(of text: [UInt8]) -> [UInt8]? {
        var output = text
        for places in GroupedHexadecimal.runs(in: text) {
            GroupedHexadecimal.change(places, of: &output, replacingSecrets)
        }
        return output == text ? nil : output
    }

    /// A secret in lines of `uuencode`.
    func replacingLines(ofUUEncoded text: [UInt8]) -> [UInt8]? {
        var output = text
        for encoded in UUEncodedText.all(in: text) {
            if let other = replacingSecrets(in: encoded.bytes) { encoded.write(other, into: &output) }
        }
        return output == text ? nil : output
    }

    /// A secret in base 85 between its marks.
    func replacingDigits(inBase85Of text: [UInt8]) -> [UInt8]? {
        var output = Splicer(text)
        for encoded in ASCII85Text.all(in: text) {
            guard let other = replacingSecrets(in: encoded.bytes).flatMap(encoded.encoding) else { continue }
            output.replace(encoded.range, with: other)
        }
        return output.finished()
    }

    /// A secret in base 85 without marks around it.
    ///
    /// `changing`: is handed the bytes; nil leaves them as they are.
    func replacingGroups(inBase85Of text: [UInt8], _ changing: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
        var output = text
        for run in base85.runs(in: text) { run.change(&output, changing) }
        return output == text ? nil : output
    }

    /// A secret whose pieces stand one behind the other, each of them too short to be met.
    func replacingPieces(of text: [UInt8]) -> [UInt8]? {
        guard !drawn.isEmpty else { return nil }
        let other = replacingPieces(of: text, withoutWords: false)
        return replacingPieces(of: other ?? text, withoutWords: true) ?? other
    }

    private func replacingPieces(of text: [UInt8], withoutWords: Bool) -> [UInt8]? {
        var joined = JoinedText(text, withoutWords: withoutWords)
        let words = joined.bytes.withUnsafeBufferPointer { drawnWords.matches(in: $0) }
        let pieces = joinedIndex.matches(in: joined.bytes)
        let matches =
            pieces.map { (range: $0.range, secret: drawn[$0.secret], offset: $0.offset) }
            + words.map { (range: $0.range, secret: drawn[$0.word], offset: 0) }
        var output = text
        for (range, secret, offset) in matches where joined.hasJoint(in: range) {
            let places = joined.places[range]
            let piece = Array(joined.bytes[range])
            let made = standIns.standIn(for: secret).utf8.filter(\.isASCIIAlphanumeric)
            guard let first = places.first, let last = places.last,
                made.count == secret.utf8.count(where: \.isASCIIAlphanumeric), Drawn.looks(piece),
                !standIns.open.isPublic(piece), !standIns.written.isOne(around: first..<(last + 1), in: text)
            else { continue }
            for (place, byte) in zip(places, made[offset...]) {
                output[place] = UInt8.inCase(text[place], byte)
            }
            standIns.tally.note(secret)
        }
        return output == text ? nil : output
    }

    /// A secret whose bytes are listed by their numbers.
    func replacingBytes(byNumberOf text: [UInt8]) -> [UInt8]? {
        var output = Splicer(text)
        for list in DecimalBytes.all(in: text) {
            guard let others = replacingSecrets(in: list.bytes), others.count == list.bytes.count else {
                continue
            }
            for (index, other) in others.enumerated() where other != list.bytes[index] {
                output.replace(list.places[index], with: Array(String(other).utf8))
            }
        }
        return output.finished()
    }
}
