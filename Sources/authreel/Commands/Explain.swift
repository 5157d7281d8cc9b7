import ArgumentParser
import Captures
import Diagnosis
import Foundation
import Reports

/// What one rule means.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explains a rule: what is wrong when it fires, how to mend it, a bad and a good example.",
        discussion: """
            Example:
              authreel explain pkce-verifier-mismatch
            """
    )

    @Argument(
        help: ArgumentHelp("The rule's id, as diagnose prints it.", valueName: "RULE"),
        completion: .list(RuleCatalog.infos.map(\.id))
    )
    var rule: String

    func run() throws {
        guard let info = RuleCatalog.info(of: rule) else {
            throw CommandFailure(.usage, "there is no rule \(rule)", hint: Self.hint(for: rule))
        }
        print(
            TextReport.explanation(
                of: info,
                style: Style.forDescriptor(STDOUT_FILENO),
                columns: TerminalSize.columns(of: STDOUT_FILENO)
            )
        )
    }

    /// The rules whose names are near: an error's or a claim's name, as it is on the wire (`invalid_grant`), counts as a part of one.
    private static func hint(for rule: String) -> String {
        let ids = RuleCatalog.infos.map(\.id)
        let asked = rule.lowercased().replacing(/[_ ]+/, with: "-")
        let near =
            asked.contains(where: \.isLetter) ? ids.filter { $0.contains(asked) || asked.contains($0) } : []
        guard !near.isEmpty else {
            return Spelling.hint(rule, in: ids, otherwise: "\(Invocation.command("rules")) lists them all")
        }
        guard near.count > mostNamed else { return "did you mean \(near.joined(separator: ", "))?" }
        return
            "\(near.count) have that in their names: \(Invocation.command("rules")) | grep \(ShellWord.quoted(asked))"
    }

    private static let mostNamed = 20
}
