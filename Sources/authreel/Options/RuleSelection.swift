import ArgumentParser
import Diagnosis
import Foundation

/// Which rules are asked.
struct RuleSelection: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Ask this rule only. Repeatable; * at the end stands for every rule that begins so.",
            valueName: "RULE"
        ),
        completion: .list(RuleCatalog.infos.map(\.id))
    )
    var only: [String] = []
    @Option(
        name: .long,
        help: ArgumentHelp("Leave this rule out. Repeatable, with * as above.", valueName: "RULE"),
        completion: .list(RuleCatalog.infos.map(\.id))
    )
    var ignore: [String] = []

    /// The chosen rules in the order of the catalogue.
    ///
    /// Throws when a name stands for no rule: a typing mistake must not switch off what a pipeline relies on.
    func rules() throws -> [any Rule] {
        for pattern in only + ignore
        where !RuleCatalog.infos.contains(where: { Self.matches($0.id, pattern) }) {
            throw CommandFailure.noRule(pattern, takesPatterns: true)
        }
        return RuleCatalog.rules.filter { rule in
            let id = type(of: rule).info.id
            return (only.isEmpty || only.contains { Self.matches(id, $0) })
                && !ignore.contains { Self.matches(id, $0) }
        }
    }

    private static func matches(_ id: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("*") ? id.hasPrefix(pattern.dropLast()) : id == pattern
    }
}
