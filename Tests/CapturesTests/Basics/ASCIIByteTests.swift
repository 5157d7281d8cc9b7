import Captures
import Testing

struct ASCIIByteTests {
    @Test(arguments: UInt8.min...UInt8.max)
    func classIsThatOfTheCharacter(byte: UInt8) {
        let character = Character(Unicode.Scalar(byte))
        let isLetter = character.isASCII && character.isLetter
        #expect(byte.isASCIIDigit == ("0"..."9").contains(character))
        #expect(byte.isASCIILetter == isLetter)
        #expect(byte.isASCIIAlphanumeric == (byte.isASCIIDigit || isLetter))
        #expect(byte.isHexadecimalDigit == character.isHexDigit)
        #expect(byte.hexadecimalValue.map(Int.init) == character.hexDigitValue)
        #expect(byte.isBlank == " \t".contains(character))
        #expect(byte.isASCIIWhiteSpace == (character.isASCII && character.isWhitespace))
        #expect(byte.isTokenCharacter == (isLetter || "0123456789!#$%&'*+-.^_`|~".contains(character)))
    }
}
