import Testing
import TestSupport

@testable import Sharing

struct ShapeCipherTests {
    private let cipher = ShapeCipher(key: (0..<16).map { UInt8($0 * 7 + 3) }, domain: 1)

    private func standIn(_ text: String) -> String {
        String(decoding: cipher(Array(text.utf8)), as: UTF8.self)
    }

    @Test func shapeIsKeptAndNoLetterAndNoDigitIs() {
        let text = "aZ3-x_9.Q~/+= é李 0407"
        let other = standIn(text)
        #expect(other.utf8.count == text.utf8.count)
        for (old, new) in zip(text.unicodeScalars, other.unicodeScalars) {
            #expect(old.properties.isAlphabetic == new.properties.isAlphabetic)
            #expect(("0"..."9").contains(old) == ("0"..."9").contains(new))
            let isKept = !old.properties.isAlphabetic && !("0"..."9").contains(old)
            #expect(isKept == (old == new), "\(old)")
            if old.isASCII { #expect(old.properties.isUppercase == new.properties.isUppercase) }
        }
    }

    /// What happens to values on their way happens to their stand-ins.
    @Test func respellingsStayRespellings() {
        let text = "Ab+cD/3fGhIj0"
        #expect(standIn(text.lowercased()) == standIn(text).lowercased())
        #expect(standIn(String(text.prefix(7))) == String(standIn(text).prefix(7)))
        #expect(standIn("Ab-cD_3fGhIj0") == standIn(text).replacing("+", with: "-").replacing("/", with: "_"))
        #expect(standIn("Ab cD/3fGhIj0==") == standIn(text).replacing("+", with: " ") + "==")
        #expect(
            standIn("Ab%2BcD%2f3fGhIj0")
                == standIn(text).replacing("+", with: "%2B").replacing("/", with: "%2f")
        )
    }

    @Test func base32StaysSuchHoweverItIsWritten() {
        let text = "JBSWY3DPEHPK3PXP234567ABCDEFGHIJ"
        let other = cipher.base32(Array(text.utf8))
        #expect(other.allSatisfy { (0x41...0x5a).contains($0) || (0x32...0x37).contains($0) })
        #expect(zip(text.utf8, other).allSatisfy { $0 != $1 && ($0 < 0x40) == ($1 < 0x40) })
        let grouped = cipher.base32(Array("jbsw y3dp-ehpk".utf8))
        let letters = grouped.filter { $0 != 0x20 && $0 != 0x2d }
        #expect(String(decoding: letters, as: UTF8.self).uppercased().utf8.elementsEqual(other.prefix(12)))
    }

    /// Of a text that is too short to show what it is.
    @Test(arguments: 1..<8) func beginningOfHexadecimalTextIsThatOfItsStandIn(count: Int) {
        let text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
        let beginning = String(text.prefix(count))
        #expect(cipher.hexadecimal(Array(beginning.utf8)).elementsEqual(standIn(text).utf8.prefix(count)))
        let beginnings = HexadecimalBeginnings([NamedValue("nonce", text), NamedValue("nonce", beginning)])
        #expect(beginnings.contains(beginning) && !beginnings.contains(text))
        let others = HexadecimalBeginnings([NamedValue("nonce", text), NamedValue("otp", beginning)])
        #expect(!others.contains(beginning))
    }

    @Test func hexadecimalTextAndUUIDsStaySuch() {
        let hex = "deadbeef00c0ffee1234"
        #expect(standIn(hex).allSatisfy { $0.isHexDigit && !$0.isUppercase })
        let uuid = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
        let other = Array(standIn(uuid))
        #expect(other[14] == "4" && other[19] == "a" && String(other) != uuid)
    }

    @Test func differentTextsAreDifferentAndNumbersStayNumbers() {
        var random = SeededGenerator(seed: 7)
        let numbers = Set((0..<3000).map { _ in String(Int.random(in: 1...9_999_999, using: &random)) })
        let others = Set(numbers.map(standIn))
        #expect(others.count == numbers.count)
        #expect(others.allSatisfy { !$0.hasPrefix("0") && Int($0) != nil })
    }

    /// Whoever decodes a stand-in that was not encoded must get what stands there.
    @Test func percentSignThatEscapesNothingGoesOnEscapingNothing() {
        for seed in UInt8(0)..<64 {
            let cipher = ShapeCipher(key: [UInt8](repeating: seed, count: 16), domain: 1)
            for text in ["h1p%1pd04t", "a%zf0", "x%qq", "7%Gb%b_%c%"] {
                let other = cipher(Array(text.utf8))
                #expect(TextCoding.percent.decoded(other[...]).bytes == other, "\(text), \(seed)")
            }
        }
    }

    @Test func anotherKeyGivesAnotherText() {
        let other = ShapeCipher(key: [UInt8](repeating: 9, count: 16), domain: 1)
        #expect(other(Array("SplxlOBeZQQYbYS6WxSbIA".utf8)) != cipher(Array("SplxlOBeZQQYbYS6WxSbIA".utf8)))
    }
}
