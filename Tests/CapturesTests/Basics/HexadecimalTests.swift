import Captures
import Testing

struct HexadecimalTests {
    /// The vectors of RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "66"), ("fo", "666F"), ("foo", "666F6F"), ("foob", "666F6F62"),
        ("fooba", "666F6F6261"), ("foobar", "666F6F626172"),
    ])
    func vectorOfTheSpecification(text: String, digits: String) {
        #expect(Hexadecimal.encode(text.utf8, isUppercase: true) == digits)
        #expect(Hexadecimal.encode(text.utf8) == digits.lowercased())
        #expect(Hexadecimal.decode(digits.utf8) == Array(text.utf8))
        #expect(Hexadecimal.decode(digits.lowercased().utf8) == Array(text.utf8))
    }

    @Test(arguments: ["6", "666", "6g", "66 6F", "0x66", "6\u{ff16}"])
    func whatIsNoPairsOfDigitsIsRefused(text: String) { #expect(Hexadecimal.decode(text.utf8) == nil) }

    @Test func everyByteComesBack() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.decode(Hexadecimal.encode(bytes).utf8) == bytes)
    }
}
