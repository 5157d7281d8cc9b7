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

    /// A secret in base 85.
    func replacingDigits(inBase85Of text: [UInt8]) -> [UInt8]? {
        var output = Splicer(text)
        for encoded in ASCII85Text.all(in: text) {
            guard let other = replacingSecrets(in: encoded.bytes).flatMap(encoded.encoding) else { continue }
            output.replace(encoded.range, with: other)
        }
        return output.finished()
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
