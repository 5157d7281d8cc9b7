import Testing

@testable import Sharing

struct Bech32Tests {
    /// BIP 173, "Test vectors": valid strings.
    @Test(arguments: [
        ("A12UEL5L", "A", 0), ("a12uel5l", "a", 0),
        (
            "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
            "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio", 0
        ),
        ("abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef", 20), ("?1ezyfcl", "?", 0),
    ])
    func stringsOfTheSpecificationAreRead(text: String, prefix: String, count: Int) throws {
        let (found, bytes) = try Bech32.decode(text)
        #expect(found == prefix && bytes.count == count)
        #expect(Bech32.encode(bytes, prefix: prefix.lowercased()) == text.lowercased())
    }

    /// The same, invalid strings; and what bytes cannot give.
    @Test(
        arguments: [
            ("x1b4n0q5v", .foreignCharacter), ("pzry9x0s0muk", .noSeparator), ("1pzry9x0s0muk", .noSeparator),
            ("li1dgmt3", .noSeparator), ("A1G7SGD8", .wrongChecksum), ("10a06t8", .noSeparator),
            ("1qzzfhee", .noSeparator), ("\u{20}1nwldj5", .foreignCharacter),
            ("\u{7f}1axkwrx", .foreignCharacter), ("de1lg7wt\u{ff}", .foreignCharacter),
            ("a12UEL5L", .mixedCase), ("", .noSeparator), ("1", .noSeparator), ("a1", .noSeparator),
            (String(repeating: "q", count: 8193), .tooLong),
        ] as [(String, Bech32.Fault)]
    )
    func stringsThatAreNoneAreRefused(text: String, fault: Bech32.Fault) {
        #expect(throws: fault) { try Bech32.decode(text) }
    }

    /// Digits with a right checksum that no bytes give: a digit too many, and bits that are not zero.
    @Test(arguments: ["age1qdd35qf", "age1qpu0j2ex", "age1ll2lu7g0", "age1lllcpqrf6", "age1qqqqqqqqqjhjdkw"])
    func bitsBehindTheLastByteAreRefused(text: String) throws {
        #expect(throws: Bech32.Fault.strayBits) { try Bech32.decode(text) }
        #expect(try Bech32.decode("age1luyvfgxs").bytes == [255])
    }

    @Test func everySlipOfACharacterIsFound() throws {
        let text = Array(HandmadeFile.recipientText)
        for index in text.indices.dropFirst(4) {
            for other in "qpzry9x8gf2tvdw0s3jn54khce6mua7l" where other != text[index] {
                var slipped = text
                slipped[index] = other
                #expect(throws: Bech32.Fault.wrongChecksum) { try Bech32.decode(String(slipped)) }
            }
        }
    }

    @Test(arguments: 0...40) func bytesComeBack(count: Int) throws {
        let bytes = HandmadeFile.bytes(count)
        let (prefix, found) = try Bech32.decode(Bech32.encode(bytes, prefix: "age"))
        #expect(prefix == "age" && found == bytes)
    }
}
