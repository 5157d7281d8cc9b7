import Foundation
import Testing

/// Rules read facts, and facts know no rule: what both sides say or look at stands with the facts.
struct ReadingArrowsTests {
    @Test func noReadingNamesARule() throws {
        let rules = Set(try SourceFile.all(below: "Sources/Diagnosis/Rules").flatMap(\.types))
        #expect(rules.contains("TokenInvalidGrant"))

        var wrong: [String] = []
        for file in try SourceFile.all(below: "Sources/Diagnosis/Reading") {
            for (line, text) in file.code {
                for name in Self.names(in: text) where rules.contains(name) {
                    wrong.append("Reading/\(file.path):\(line): \(name) is declared in Rules")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    /// The words of a line that may be types.
    private static func names(in line: Substring) -> Set<String> {
        Set(
            line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                .filter { $0.first?.isUppercase ?? false }.map(String.init)
        )
    }
}
