import Testing

@testable import Sharing

/// Codes and keys that are known, in other spellings.
struct GroupedCodesTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var text: String
        /// The characters that are the code's; empty where none is.
        var found: String
        var testDescription: String { text }
    }

    static let rows = [
        Row(text: "code=482913&x=1", found: "482913"),
        Row(text: "Your code: 482 913.", found: "482913"),
        Row(text: "<b>482</b>&nbsp;<b class=\"half\">913</b>", found: "482913"),
        Row(text: "[\"4\",\"8\",\"2\",\"9\",\"1\",\"3\"]", found: "482913"),
        Row(text: "48291300 and 0482913", found: ""),
        Row(text: "482 914", found: ""),
        Row(text: "jbsw y3dp-ehpk 3pxp", found: "jbswy3dpehpk3pxp"),
        Row(text: "key JBSWY3DPEHPK3PXP!", found: "JBSWY3DPEHPK3PXP"),
        Row(text: "JBSWY3DPEHPK3PXPA", found: ""),
    ]

    @Test(arguments: rows)
    func codeIsFoundInAnyGroups(row: Row) {
        let text = Array(row.text.utf8)
        let matches = GroupedCodes(["482913", "JBSW Y3DP EHPK 3PXP"]).matches(in: text)
        let found = matches.flatMap(\.places).map { text[$0] }
        #expect(String(decoding: found, as: UTF8.self) == row.found)
    }

    @Test(arguments: [
        ("482 913", "482913"), ("48-29-13", "482913"), ("482913", "482913"), ("4829 13", nil),
        ("4 8 2 9 1 3", nil),
        ("482 91a", nil), ("2026-03-05", nil),
    ])
    func digitsStandInGroupsOfOneLength(text: String, digits: String?) {
        #expect(GroupedCodes.digits(of: text.utf8) == digits.map { Array($0.utf8) })
    }

    @Test(arguments: [
        ("JBSWY3DPEHPK3PXP", true), ("jbsw y3dp ehpk 3pxp", true), ("JBSWY3DPEHPK3PXp", false),
        ("JBSWY3DPEHPK3", false), ("JBSWYEDPEHPKEPXP", true),
        ("MANUALAPPLICATIO", false), ("2345672345672345", false),
        ("JBSWY3DPEHPK3PX0", false),
    ])
    func keyIsBase32InOneCase(text: String, isKey: Bool) {
        #expect(GroupedCodes.isKey(text.utf8) == isKey)
    }

    /// In groups, too, and in the other case.
    @Test(arguments: ["J2S3Y4D5E6P7K2X3", "J2S3 Y4D5 E6P7 K2X3", "j2s3-y4d5-e6p7-k2x3"])
    func standInOfAKeyIsOne(text: String) {
        var found = FoundSecrets()
        found.oneTimeKeys = ["J2S3 Y4D5 E6P7 K2X3"]
        found.values = [text: .credentials]
        let standIns = StandIns.fixed(found)
        let other = standIns.standIn(for: text)
        #expect(other != text && GroupedCodes.isKey(other.utf8), "\(other)")
    }

    @Test func timeIsLinear() {
        let text =
            [UInt8](repeating: 0x34, count: 1 << 12) + Array(String(repeating: "4 8 2 ", count: 1 << 15).utf8)
        let clock = ContinuousClock()
        #expect(clock.measure { _ = GroupedCodes(["482482482"]).matches(in: text) } < .seconds(30))
    }
}
