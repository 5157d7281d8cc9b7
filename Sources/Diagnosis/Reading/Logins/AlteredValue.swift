import Captures
import Flows
import OAuth

/// A code or a token that is the delivered one but for a step on the way: decoded twice, quoted, cut off.
enum AlteredValue {
    /// The step that turns the delivered value into the sent one, in words; nil where none does.
    static func change(from parameter: Parameter, to sent: String) -> String? {
        let delivered = parameter.value
        guard !delivered.isEmpty, !sent.isEmpty else { return nil }
        if sent == "\"\(delivered)\"" { return "in quotes" }
        // Facebook and Instagram put `#_` behind the code.
        if sent.hasPrefix(delivered + "#") { return "the fragment of the callback's URL (#…) is still on it" }
        let decoded = PercentEncoding.decode(delivered)
        let recodings = [
            parameter.rawValue, decoded, PercentEncoding.decode(delivered, plusIsSpace: true),
            PercentEncoding.decode(decoded), PercentEncoding.encode(delivered),
            delivered.replacing(0x2b, by: 0x20), delivered.replacing(0x20, by: 0x2b),
        ]
        let isRecoded =
            recodings.contains(sent) || PercentEncoding.decode(sent) == delivered
            || PercentEncoding.decode(PercentEncoding.decode(sent)) == delivered
            || PercentEncoding.decode(sent, plusIsSpace: true) == delivered
            || delivered.utf8.count == sent.utf8.count && delivered.utf8.count >= 8
                && delivered.lowercased() == sent.lowercased()
        if isRecoded || isCut(delivered, sent) || isCut(sent, delivered) {
            return Difference.note(expected: delivered, seen: sent, isSecret: true)
        }
        return nil
    }

    /// Whether the second is what is left of the first: cut at a special character, or long enough to be no
    /// accident.
    private static func isCut(_ whole: String, _ part: String) -> Bool {
        guard whole.utf8.count > part.utf8.count, whole.utf8.starts(with: part.utf8) else { return false }
        if part.utf8.count >= 16 { return true }
        let next = whole.utf8.dropFirst(part.utf8.count).first ?? 0
        return !next.isASCIIAlphanumeric
    }
}
