import Captures
import Testing

struct Base64Tests {
    private static func decode(_ text: String, isPadded: Bool) -> [UInt8]? {
        Base64.decodeStrictly(Array(text.utf8)[...], isPadded: isPadded)
    }

    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func textsOfTheSpecificationAreReadStrictly(bytes: String, text: String) {
        let digits = String(text.prefix { $0 != "=" })
        #expect(Base64.encode(bytes.utf8) == text)
        #expect(Self.decode(text, isPadded: true) == Array(bytes.utf8))
        #expect(Self.decode(digits, isPadded: false) == Array(bytes.utf8))
        if digits != text {
            #expect(Self.decode(text, isPadded: false) == nil)
            #expect(Self.decode(digits, isPadded: true) == nil)
        }
    }

    @Test func everyByteComesBack() {
        let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) }
        for count in 0...bytes.count {
            let text = Array("#\(Base64.encode(bytes[..<count]))#".utf8)
            #expect(
                Base64.decodeStrictly(text[1..<(text.count - 1)], isPadded: true) == Array(bytes[..<count])
            )
        }
    }

    /// One text only for any bytes: no stray bits, no other alphabet, no white space, no `=` elsewhere.
    @Test(arguments: [
        "Zh==", "Zm9=", "Z===", "====", "=", "Zg=v", "Zm9v====", "Zm9v\n", "Zm 9v", "Zm9-", "Zm9_", "Zm9é",
    ])
    func otherSpellingsAreRefused(text: String) {
        #expect(Self.decode(text, isPadded: true) == nil)
        #expect(Self.decode(text, isPadded: false) == nil)
    }
}
