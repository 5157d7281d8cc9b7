import Testing

@testable import Sharing

/// A password that is known, as other texts spell it.
struct TextSweeperTests {
    private static let password = "Kestrel-Plum_42x"

    enum Spelling: CaseIterable {
        /// As a pattern has it, or Markdown.
        case behindBackslashes
        case inCapitals
        /// Each character by its number, without a semicolon behind it.
        case byReferences

        func write(_ text: String) -> String {
            switch self {
            case .behindBackslashes:
                text.replacing("-", with: #"\-"#).replacing("_", with: #"\_"#)
            case .inCapitals: text.uppercased()
            case .byReferences: text.unicodeScalars.map { "&#\($0.value)" }.joined()
            }
        }

        func read(_ text: String) -> String {
            switch self {
            case .behindBackslashes: text.replacing(#"\"#, with: "")
            case .inCapitals: text
            case .byReferences:
                String(decoding: TextCoding.entities.decoded(Array(text.utf8)[...]).bytes, as: UTF8.self)
            }
        }
    }

    @Test(arguments: Spelling.allCases)
    func passwordIsReplacedInEachSpelling(spelling: Spelling) {
        var found = FoundSecrets()
        found.values = [Self.password: .password]
        let standIns = StandIns.fixed(found)
        let text = "it is \(spelling.write(Self.password)) of old"
        let swept = standIns.sweeper.sweeping(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        let other = standIns.standIn(for: Self.password)
        let expected = spelling == .inCapitals ? other.uppercased() : other
        #expect(swept.map(spelling.read) == "it is \(expected) of old")
    }
}
