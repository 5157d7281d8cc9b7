import Testing

@testable import Sharing

/// What is known, as other texts spell it.
struct TextSweeperTests {
    private static let password = "Kestrel-Plum_42x"

    enum Spelling: CaseIterable {
        /// As a pattern has it, or Markdown.
        case behindBackslashes
        case inCapitals
        /// Each character by its number, without a semicolon behind it.
        case byReferences
        /// Each character by its number, and what stands for it three times more.
        case percentFourTimes
        /// `\113\145…`
        case inOctal
        /// `=4B=65…`, as some encode letters of mail that need it not.
        case inQuotedPrintable
        /// `75,101,…`
        case byNumbers

        func write(_ text: String) -> String {
            switch self {
            case .behindBackslashes:
                text.replacing("-", with: #"\-"#).replacing("_", with: #"\_"#)
            case .inCapitals: text.uppercased()
            case .byReferences: text.unicodeScalars.map { "&#\($0.value)" }.joined()
            case .inOctal:
                text.utf8.map { "\\" + String(repeating: "0", count: $0 < 64 ? 1 : 0) + String($0, radix: 8) }
                    .joined()
            case .inQuotedPrintable:
                text.utf8.map { "=" + String($0, radix: 16, uppercase: true) }.joined()
            case .byNumbers: text.utf8.map { String($0) }.joined(separator: ",")
            case .percentFourTimes: text.utf8.map { "%252525" + String($0, radix: 16) }.joined()
            }
        }

        func read(_ text: String) -> String {
            switch self {
            case .behindBackslashes: text.replacing(#"\"#, with: "")
            case .inCapitals: text
            case .inOctal: Self.decoded(text, .escapes)
            case .inQuotedPrintable: Self.decoded(text, .quoted)
            case .byNumbers:
                text.split(separator: " ").map { word in
                    let numbers = word.split(separator: ",").compactMap { UInt8($0) }
                    return numbers.isEmpty ? String(word) : String(decoding: numbers, as: UTF8.self)
                }.joined(separator: " ")
            case .percentFourTimes: (0..<4).reduce(text) { text, _ in Self.decoded(text, .percent) }
            case .byReferences: Self.decoded(text, .entities)
            }
        }

        private static func decoded(_ text: String, _ coding: TextCoding) -> String {
            String(decoding: coding.decoded(Array(text.utf8)[...]).bytes, as: UTF8.self)
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

    /// Pages have spaces and dashes in numbers at which no line ends.
    @Test func whatStandsBetweenTheDigitsOfANumberStays() {
        let number = "+65\u{a0}9123\u{2011}4567"
        var found = FoundSecrets()
        found.values = [number: .phone]
        found.phones = [number]
        let standIns = StandIns.fixed(found)
        let other = standIns.standIn(for: number)
        #expect(other != number && other.filter { !$0.isNumber } == number.filter { !$0.isNumber })
        let swept = standIns.sweeper.sweeping(Array("tel: 9123 4567 (+65\u{202f}9123 4567)".utf8))
        let last = other.filter(\.isNumber).suffix(7)
        let digits = swept.map { String(decoding: $0, as: UTF8.self).filter(\.isNumber) } ?? ""
        #expect(digits.prefix(8).suffix(7) == last && digits.suffix(7) == last)
    }

    /// As Python, C and mail write letters beyond ASCII.
    @Test(arguments: [
        #"b'Hallo J\xc3\xbcrgen'"#, #"name: "J\303\274rgen""#, "Hallo J=C3=BCrgen", "Hallo J=C3=BCr=\r\ngen!",
    ])
    func nameIsReplacedInTheBytesOfItsLetters(text: String) {
        var found = FoundSecrets()
        found.people = ["Jürgen"]
        let standIns = StandIns.fixed(found)
        let coding = text.contains("=") ? TextCoding.quoted : .escapes
        func read(_ text: [UInt8]) -> String {
            String(decoding: coding.decoded(text[...]).bytes, as: UTF8.self)
        }
        let expected = read(Array(text.utf8))
            .replacing("Jürgen", with: standIns.standIn(forName: "Jürgen"))
        let swept = standIns.sweeper.sweeping(Array(text.utf8)) ?? []
        #expect(read(swept) == expected && swept.count == text.utf8.count)
    }
}
