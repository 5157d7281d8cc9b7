import Captures
import Diagnosis

extension CommandFailure {
    /// A rule is asked for that is none, with those whose names are near.
    ///
    /// An error's or a claim's name, as it is on the wire (`invalid_grant`), counts as a part of one.
    /// `takesPatterns`: whether `pkce-*` may stand for all that begin so.
    static func noRule(_ rule: String, takesPatterns: Bool = false) -> CommandFailure {
        let message = rule.isEmpty ? "the name of the rule is empty" : "there is no rule \(rule)"
        return CommandFailure(.usage, message, hint: hint(for: rule, takesPatterns))
    }

    private static func hint(for rule: String, _ takesPatterns: Bool) -> String {
        let ids = RuleCatalog.infos.map(\.id)
        let asked = rule.lowercased().replacing(/[_ ]+/, with: "-")
        let near =
            asked.contains(where: \.isLetter) ? ids.filter { $0.contains(asked) || asked.contains($0) } : []
        guard !near.isEmpty else {
            return Spelling.hint(rule, in: ids, otherwise: "\(Invocation.command("rules")) lists them all")
        }
        let beginning = ids.count { $0.hasPrefix("\(asked)-") }
        if takesPatterns, beginning > 1 {
            return "\(ShellWord.quoted("\(asked)-*")) stands for the \(beginning) that begin so"
        }
        guard near.count > mostNamed else { return "did you mean \(near.joined(separator: ", "))?" }
        return
            "\(near.count) have that in their names: \(Invocation.command("rules")) | grep \(ShellWord.quoted(asked))"
    }

    /// More names are a line that nobody reads.
    private static let mostNamed = 6
}
