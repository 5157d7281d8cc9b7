import Captures
/// Marks that exporters and people leave where a secret was: nothing can be concluded from them.
package enum Placeholder {
    package static func isOne(_ value: String) -> Bool {
        let text = value.lowercased()
        if marks.contains(where: text.containsBytes) { return true }
        guard let first = text.utf8.first, first == 0x78 || first == 0x2a else { return false }
        return text.utf8.allSatisfy { $0 == first }
    }

    private static let marks = [
        "redacted", "removed", "masked", "hidden", "filtered", "***", "<", "[", "{", "…", "...",
    ]
}
