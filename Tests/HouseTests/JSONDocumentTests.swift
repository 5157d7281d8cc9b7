import Captures
import Flows
import Foundation
import TestSupport
import Testing

/// `docs/json.md` names every word that the JSON of `diagnose` and `show` chooses from.
struct JSONDocumentTests {
    static let words =
        StepKind.allCases.map(\.rawValue) + Outcome.allCases.map(\.rawValue)
        + Transform.allCases.map(\.rawValue) + Place.Part.allCases.map(\.rawValue)

    @Test func everyWordIsThere() throws {
        let page = try String(contentsOf: Fixtures.root.appending(path: "docs/json.md"), encoding: .utf8)
        for word in Self.words {
            #expect(page.contains("`\(word)`"), "\(word) is not in docs/json.md")
        }
    }
}
