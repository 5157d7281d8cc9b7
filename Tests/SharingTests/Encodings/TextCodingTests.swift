import TestSupport
import Testing

@testable import Sharing

struct TextCodingTests {
    /// A secret in its encoding, and the same with another secret in its place: nothing else changes.
    @Test(arguments: [
        (TextCoding.percent, "x%3d%41bc%2Fd&", "x%3d%51rs%2Ft&"), (.percent, "a%c3%a9Abc/d", "a%c3%a9Qrs/t"),
        (.form, "n+%41bc%2fd+m", "n+%51rs%2ft+m"), (.escapes, #"\"\u0041bc\/d\n"#, #"\"\u0051rs\/t\n"#),
        (.escapes, #"\x41bc/d\u00e9"#, #"\x51rs/t\u00e9"#),
        (.entities, "&lt;&#65;bc/d&amp;", "&lt;&#81;rs/t&amp;"),
        (.entities, "&#x41;bc&#47;d", "&#x51;rs&#47;t"),
        (.escapes, #"\101bc\057d \1 \400"#, #"\121rs\057t \1 \400"#),
        // Without their semicolons, and what is none.
        (.quoted, "x=3D=41bc/=\r\nd=C3=BC", "x=3D=51rs/=\r\nt=C3=BC"),
        (.quoted, "A=62=\nc/d=", "Q=72=\ns/t="),
        (.escapes, #"J\xc3\xbcrgen Abc/d \xe9"#, #"J\xc3\xbcrgen Qrs/t \xe9"#),
        (.entities, "&# &#x &#65bc&#47d&#", "&# &#x &#81;rs&#47t&#"),
        (.styles, #"\41 bc\2f d\d \9"#, #"\51 rs\2f t\d \9"#),
        (.styles, "\\000041bc/d\\2F\r\n", "\\000051rs/t\\2F\r\n"),
        // What follows could be one more digit of the escape.
        (.styles, #"Abc/\64z"#, #"Qrs/\000074z"#), (.styles, #"x\41g\41 bc/d"#, #"x\41g\51 rs/t"#),
    ])
    func secretIsExchangedInsideOfItsEncoding(coding: TextCoding, text: String, expected: String) throws {
        let decoded = coding.decoded(Array(text.utf8)[...])
        let plain = String(decoding: decoded.bytes, as: UTF8.self)
        #expect(plain.contains("Abc/d"))
        let other = plain.replacing("Abc/d", with: "Qrs/t")
        #expect(String(decoding: decoded.encoding(Array(other.utf8), as: coding), as: UTF8.self) == expected)
    }

    /// Forms and assignments have equals signs, too.
    @Test(arguments: [
        ("J=C3=BCrgen", true), ("a=\nb", true), ("a=\r\nb", true), ("a=C3&b=BC", false), ("a=3D1", false),
        ("a=", false), ("=c3=bc", false), ("=E9=", false), ("", false),
        ("=41=42=43", true), ("=41=42", false), ("a=41=42=4", false),
    ])
    func quotedPrintableIsToldFromForms(text: String, isOne: Bool) {
        #expect(TextCoding.quoted.mayApply(to: Array(text.utf8)[...]) == isOne)
    }

    /// Patterns and strings of scripts have backslashes, too.
    @Test(arguments: [
        (#"\71 "#, true), (#"\00007A"#, true), (#"\d+\b"#, false), (#"\u00e9\n"#, false), ("71", false),
        (#"\"#, false), ("", false),
    ])
    func escapesOfStyleSheetsAreToldFromOthers(text: String, isOne: Bool) {
        #expect(TextCoding.styles.mayApply(to: Array(text.utf8)[...]) == isOne)
    }

    @Test(arguments: [
        #".a::after{content:"\71\37\5a\72\32\4c\6b\58\39\76\54\62\34\57\6d\4e"}"#,
        #".a::after{content:"\71 \37 \5a \72 \32 \4c \6b \58 \39 \76 \54 \62 \34 \57 \6d \4e "}"#,
    ])
    func secretInAStyleSheetIsReplaced(text: String) throws {
        let secret = "q7Zr2LkX9vTb4WmN"
        var found = FoundSecrets()
        found.values = [secret: .token]
        let standIns = StandIns.fixed(found)
        let swept = try #require(standIns.sweeper.sweeping(Array(text.utf8)))
        let read = String(decoding: TextCoding.styles.decoded(swept[...]).bytes, as: UTF8.self)
        #expect(read == ".a::after{content:\"\(standIns.standIn(for: secret))\"}")
    }

    @Test func longerTextIsEncodedWhereItHasTo() {
        let decoded = TextCoding.form.decoded(Array("a=1%262&b".utf8)[...])
        let other = Array("a=1&x y\"2&b".utf8)
        #expect(String(decoding: decoded.encoding(other, as: .form), as: UTF8.self) == "a=1%26x+y%222&b")
    }

    /// Nothing between two changes is encoded that was not: a document goes on to be one.
    @Test func longerTextKeepsWhatIsBetweenItsChanges() {
        let text = #"{"a":"Abc","b":"5%25 of it","c":"Abc","d":1}"#
        let expected = text.replacing("Abc", with: "Qrstu")
        let decoded = TextCoding.percent.decoded(Array(text.utf8)[...])
        let other = Array(expected.replacing("%25", with: "%").utf8)
        #expect(String(decoding: decoded.encoding(other, as: .percent), as: UTF8.self) == expected)
    }

    /// So many names of one letter, and what is between them.
    private static func names(_ letter: String, _ length: Int, count: Int, slash: String = "%2f") -> String {
        String(repeating: String(repeating: letter, count: length) + "-kept-piece-\(slash)", count: count)
    }

    /// What is the same again is looked for behind 96 bytes at most.
    @Test(arguments: [(1, 2, "%2f"), (2, 1, "%2f"), (95, 96, "%2f"), (96, 95, "%2f"), (96, 97, "%2F")])
    func nearestPieceKeepsItsBytes(length: Int, other: Int, between: String) {
        let decoded = TextCoding.percent.decoded(Array(Self.names("k", length, count: 2).utf8)[...])
        let plain = Array(Self.names("q", other, count: 2, slash: "/").utf8)
        #expect(
            String(decoding: decoded.encoding(plain, as: .percent), as: UTF8.self)
                == Self.names("q", other, count: 1, slash: between) + Self.names("q", other, count: 1)
        )
    }

    /// Behind a long change no more is compared than it is long.
    @Test func timeGrowsWithTheLengthOfChanges() {
        func seconds(_ length: Int) -> Double {
            let decoded = TextCoding.percent.decoded(Array(Self.names("k", length, count: 60).utf8)[...])
            let other = Array(Self.names("q", length + 1, count: 60, slash: "/").utf8)
            return ProcessorTime.seconds { _ = decoded.encoding(other, as: .percent) }
        }
        // Eight times the length: linear is 8, quadratic 64.
        #expect(seconds(88) < 24 * max(seconds(11), 0.002))
    }

    /// An escape for a character of several bytes, of which the other text has some as well.
    @Test(arguments: [
        (TextCoding.escapes, #"a\u00e9b"#, "aèxb", "aèxb"), (.escapes, #"\u00e9"#, "xĩ", "xĩ"),
        (.percent, "%u00e9/b", "è/xb", "%C3%A8%2Fxb"), (.percent, "%u00e9b", "èb", "%C3%A8b"),
        (.entities, "&eacute;b", "<>b", "&#60;&#62;b"),
    ])
    func escapeOfSeveralBytesIsExchangedAsAWhole(
        coding: TextCoding,
        text: String,
        other: String,
        expected: String
    ) {
        let decoded = coding.decoded(Array(text.utf8)[...])
        #expect(String(decoding: decoded.encoding(Array(other.utf8), as: coding), as: UTF8.self) == expected)
    }

    @Test(arguments: [0, 1, 2]) func base64IsChangedAtEveryAlignment(skipped: Int) throws {
        let secret = "q7Zr2LkX9vTb4WmN"
        let plain = String(repeating: "-", count: skipped) + secret + "~~"
        let run = Array(Self.base64(plain).utf8.filter { $0 != 0x3d })
        let other = try #require(
            BinaryCoding.base64.changing(run[...]) { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                return text.contains(secret)
                    ? Array(text.replacing(secret, with: "Q1Aa2BbC3cDd4EeF").utf8) : nil
            }
        )
        let expected = String(repeating: "-", count: skipped) + "Q1Aa2BbC3cDd4EeF~~"
        #expect(other == Array(Self.base64(expected).utf8.filter { $0 != 0x3d }))
    }

    private static func base64(_ text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var output = ""
        var bits = 0
        var count = 0
        for byte in text.utf8 {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 6 {
                count -= 6
                output.append(digits[bits >> count & 63])
            }
        }
        if count > 0 { output.append(digits[bits << (6 - count) & 63]) }
        return output
    }
}
