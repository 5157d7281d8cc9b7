import JOSE
import TestSupport
import Testing

struct Base64URLTests {
    /// RFC 4648, section 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func vectors(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test(arguments: [
        ("Zg==", Base64URL.Deviation.padded), ("+/8", .standardAlphabet), ("Zm9 v", .whiteSpace),
        ("Zh", .strayBits), ("Z", .impossibleLength),
        ("Zm9v!", .foreignCharacters),
    ])
    func deviationsAreNamedAndStrictlyRefused(text: String, deviation: Base64URL.Deviation) {
        #expect(Base64URL.decodeLeniently(text).deviations.contains(deviation))
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func allBytesComeBack() {
        var random = SeededGenerator(seed: 4648)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
