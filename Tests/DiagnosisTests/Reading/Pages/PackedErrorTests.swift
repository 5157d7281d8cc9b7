import Captures
import Testing

@testable import Diagnosis

struct PackedErrorTests {
    private static func field(_ number: UInt8, _ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var record: [UInt8] = [number << 3 | 2]
        if bytes.count < 0x80 {
            record.append(UInt8(bytes.count))
        } else {
            record += [UInt8(bytes.count & 0x7f | 0x80), UInt8(bytes.count >> 7)]
        }
        return record + bytes
    }

    private func text(_ bytes: [UInt8]) -> String { PackedError.text(of: Base64.encode(bytes)) }

    private static let words = "The developer hasn\u{2019}t given you access to this app."
    private static let page = "https://developers.google.com/identity/protocols/oauth2"

    @Test func isItsTextsWithoutTheirLengths() {
        let record =
            Self.field(1, "access_denied") + Self.field(2, Self.words) + Self.field(4, Self.page)
            + [0x20, 0x93, 0x03]
        #expect(text(record) == "access_denied \(Self.words) \(Self.page)")
    }

    /// As Google writes it: its first length, 13, is no character, its second one is `{`.
    @Test func readsARecordAsItIsSent() {
        let value = """
            Cg1hY2Nlc3NfZGVuaWVkEntUaGUgZGV2ZWxvcGVyIGhhc27igJl0IGdpdmVuIHlvdSBhY2Nlc3MgdG8gdGhpcyBhcHAuIEl04oCZcyBjdXJyZW50\
            bHkgYmVpbmcgdGVzdGVkIGFuZCBpdCBoYXNu4oCZdCBiZWVuIHZlcmlmaWVkIGJ5IEdvb2dsZS4iN2h0dHBzOi8vZGV2ZWxvcGVycy5nb29nbGUu\
            Y29tL2lkZW50aXR5L3Byb3RvY29scy9vYXV0aDIgkwM=
            """
        let rest = "It\u{2019}s currently being tested and it hasn\u{2019}t been verified by Google."
        #expect(PackedError.text(of: value) == "access_denied \(Self.words) \(rest) \(Self.page)")
    }

    @Test func readsATextOfMoreThan127Bytes() {
        let long = String(repeating: "You can\u{2019}t sign in. ", count: 10)
        #expect(text(Self.field(1, "org_internal") + Self.field(2, long)) == "org_internal \(long)")
    }

    @Test func passesOverNumbersAndWhatIsTooShort() {
        let numbers: [UInt8] = [0x08, 0x96, 0x01, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4]
        #expect(text(numbers + Self.field(2, "abc") + Self.field(3, "invalid_scope")) == "invalid_scope")
    }

    private static let unreadable: [UInt8] = [0xff, 0xfe, 0x00]

    /// The printable parts of what is no such record.
    @Test(
        arguments: [
            (
                unreadable + Array("redirect_uri_mismatch\u{1}\u{2}The words".utf8),
                "redirect_uri_mismatch The words"
            ),
            (Array(field(1, "access_denied").dropLast()), "access_denie"),
            (field(1, "access_denied") + [0x12], "access_denied"), ([0x08, 0x01], ""), ([], ""),
        ] as [([UInt8], String)]
    )
    func isWhatCanBeReadOfAnythingElse(bytes: [UInt8], expected: String) { #expect(text(bytes) == expected) }
}
