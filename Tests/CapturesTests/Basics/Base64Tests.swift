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

    /// Whatever stands around them, one of the cores is in the text, and it says nothing but the bytes.
    @Test(arguments: 0...7) func bytesAreFoundInTheBase64OfMore(lead: Int) {
        let bytes: [UInt8] = [0xfb, 0xff, 0x41, 0x00, 0x7e, 0xd3, 0xbe, 0xef]
        for end in 0..<4 {
            let around = [UInt8](repeating: 0x55, count: lead) + bytes + [UInt8](repeating: 0xaa, count: end)
            for text in [Base64.encode(around), Base64.encodeForURLs(around)] {
                #expect(Base64.cores(of: bytes).contains { text.contains($0) })
            }
        }
        #expect(Base64.cores(of: [UInt8]()) == [])
        #expect(Base64.cores(of: [0x41]).allSatisfy { $0.count == 1 })
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
