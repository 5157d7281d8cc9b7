import Foundation
import JSON
import Sharing
import TestSupport
import Testing

/// The time that a scan takes grows as what is looked at, whatever that is, and not with the number of secrets.
///
/// Times are those of the processor for this thread, compared within one run.
@Suite(.serialized)
struct LeakTimeTests {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func secrets(_ count: Int, of length: Int) -> [Secret] {
        var random = SeededGenerator(seed: 11)
        return (0..<count).map { _ in
            var token: [UInt8] = []
            token.reserveCapacity(length + 9)
            while token.count < length {
                var bits = random.next()
                for _ in 0..<10 {
                    token.append(alphabet[Int(bits & 63)])
                    bits >>= 6
                }
            }
            return Secret(.accessToken, String(decoding: token.prefix(length), as: UTF8.self))
        }
    }

    static let short: [NamedValue: Secret.Kind] = [
        NamedValue("password", "hunter2"): .password, NamedValue("otp", "123456"): .oneTimeCode,
        NamedValue("name", "a"): .personal, NamedValue("id", "b"): .personal,
    ]
    static let few = LeakScan(secrets: secrets(50, of: 200), lawful: [], short: short)

    static let hostile: [(name: String, unit: String)] = [
        ("percent of percent", "%25252525"), ("percent signs", "%25"), ("percent nests", "%252525"),
        ("half percent", "%2"), ("backslashes", "\\"), ("escaped u", "\\u005cu005c"), ("half u", "\\u00"),
        ("braces", "\\u{41"), ("references", "&#x41;"), ("nests of references", "&amp;amp;amp;"),
        ("ampersands", "&"), ("nests of style escapes", "\\5c 5c "), ("half style", "\\00000"),
        ("long names", "&aaaaaaaaaaaaaaaaaaaa"), ("one letter", "V"), ("base64 of itself", "QUFB"),
        ("zeros", "AAAA"),
        ("hexadecimal", "3431"), ("all at once", "%25\\u0026#37;\\\\u005c&#x25;26"),
        ("all mixed", "%5c%5c\\x5c&#92;&amp;%26\\u0026"),
        ("lines", "AAAABBBBCCCCDDDD\n "), ("line breaks", "A\n\n"), ("equal signs", "="),
        ("names", "name=id=password="),
        ("tags", "<a name=password value="), ("arrays", "\"password\":["),
        ("objects", "{\"name\":\"password\","),
        ("parts", "name=\"password\"\r\n\r\n"), ("wide characters", "密码安全测试"), ("stray bytes", "%80%e5%a0"),
        ("UTF-16", "YQBiAGMA"), ("numbers", "113,55,"), ("marks of base 85", "<~!~>"),
        ("digits in pairs", "71:37:"), ("lines of uuencode", "begin 644 f\n#0V%T\n"),
    ]

    @Test(arguments: hostile.map(\.name))
    func timeIsLinearInHostileText(name: String) throws {
        let unit = try #require(Self.hostile.first { $0.name == name }?.unit)
        func text(_ count: Int) -> JSONValue {
            [.string(String(repeating: unit, count: count / unit.utf8.count))]
        }
        let (less, more) = (text(10_000), text(80_000))
        // The best of three: what takes a fifth of a millisecond takes twice that now and then.
        func seconds(_ text: JSONValue) -> Double {
            (0..<3).map { _ in ProcessorTime.seconds { _ = Self.few.leaks(in: text) } }.min() ?? 0
        }
        let (small, large) = (seconds(less), seconds(more))
        // Eight times the text: linear is 8, quadratic 64.
        #expect(large < 20 * small, "\(small) s and \(large) s")
        let plain = ProcessorTime.seconds {
            _ = Self.few.leaks(in: [.string(String(repeating: "The quick brown fox. ", count: 80_000 / 21))])
        }
        #expect(large < 200 * plain, "\(large) s instead of \(plain) s for prose")
    }

    @Test func manyReferencesToOneDigitAreLinear() {
        let (less, more) = (
            "&#" + String(repeating: "0", count: 60_000), "&#" + String(repeating: "0", count: 480_000)
        )
        let small = ProcessorTime.seconds { _ = Self.few.leaks(in: [.string(less)]) }
        let large = ProcessorTime.seconds { _ = Self.few.leaks(in: [.string(more)]) }
        #expect(large < 20 * small, "\(small) s and \(large) s")
    }

    @Test func tenThousandSecretsCostNoMoreThanOne() {
        let secrets = Self.secrets(10_000, of: 300)
        let many = LeakScan(secrets: secrets, lawful: [], short: Self.short)
        let one = LeakScan(secrets: secrets.prefix(1), lawful: [], short: Self.short)
        let unit = #"{"id":123456,"name":"some value","url":"https:\/\/api.example\/v1?x=1&y=2","ok":true},"#
        let body = String(repeating: unit, count: 1_000_000 / unit.utf8.count) + secrets[8999].text.prefix(12)
        let ofOne = ProcessorTime.seconds { #expect(one.leaks(in: ["text": .string(body)]).isEmpty) }
        let ofMany = ProcessorTime.seconds {
            #expect(many.leaks(in: ["text": .string(body)]).map(\.characters) == [12])
        }
        // The leak is decoded anew to tell its place.
        #expect(ofMany < 4 * ofOne, "\(ofOne) s and \(ofMany) s")
    }

    @Test func secretsThatBeginAlikeCostNoMore() {
        // All begin with the same characters, and so does every token of the text.
        let prefix = "ya29.a0AfH6"
        let secrets = Self.secrets(5000, of: 40).map { Secret($0.kind, prefix + $0.text) }
        let scan = LeakScan(secrets: secrets, lawful: [], short: [:])
        let alike = String(repeating: prefix + "!", count: 40_000)
        let other = String(repeating: "zb38.b1BgI7!", count: 40_000)
        let small = ProcessorTime.seconds { #expect(scan.leaks(in: [.string(other)]).isEmpty) }
        let large = ProcessorTime.seconds { #expect(scan.leaks(in: [.string(alike)]).isEmpty) }
        #expect(large < 4 * small, "\(small) s and \(large) s")
    }

    @Test func aHundredLeaksInManyViewsAreLinear() {
        let unit = "%26 &amp; \\n \(Self.secrets(1, of: 200)[0].text) \\\\u005cn %2526 "
        func text(_ count: Int) -> JSONValue {
            [.string(String(repeating: unit, count: count / unit.utf8.count))]
        }
        let (less, more) = (text(25_000), text(200_000))
        let small = ProcessorTime.seconds { #expect(!Self.few.leaks(in: less).isEmpty) }
        let large = ProcessorTime.seconds { #expect(Self.few.leaks(in: more).count == 100) }
        #expect(large < 20 * small, "\(small) s and \(large) s")
    }
}
