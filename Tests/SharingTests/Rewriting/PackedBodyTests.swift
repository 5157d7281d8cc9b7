import Captures
import Foundation
import JSON
import Sharing
import Testing

/// Bodies that stand in a capture as they came over the wire.
struct PackedBodyTests {
    /// In one stored block (RFC 1951, section 3.2.4).
    private static func gzip(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var checksum: UInt32 = .max
        for byte in bytes {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xedb8_8320 : 0) }
        }
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1] + little(bytes.count, 2) + little(~bytes.count, 2)
            + bytes
            + little(Int(~checksum), 4) + little(bytes.count, 4)
    }

    /// What is shared of a body beside a login, decoded from base64.
    private func shared(_ bytes: [UInt8], _ more: String = "") throws -> (bytes: [UInt8], token: String) {
        var world = try SharingWorld()
        world.options.keepsAll = true
        let token = try world.first("access_token")
        world.append("https://stats.example.net/collect", type: "application/json", body: "PACKED")
        let filled = bytes.isEmpty ? Self.gzip(#"{"session":"\#(token)"}"#) : bytes
        let text = JSONWriter.text(of: world.document).replacing(
            "\"PACKED\"",
            with: "\"\(Data(filled).base64EncodedString())\",\"encoding\":\"base64\"\(more)"
        )
        let options = world.options
        world = SharingWorld(document: try JSONParser.parse(Array(text.utf8)))
        world.options = options
        let shared = try world.shared()
        let entry = try shared.entry(shared.capture.count - 1)
        let content = entry["response"]?["content"]
        let packed = content?["text"]?.string ?? entry["request"]?["postData"]?["text"]?.string ?? ""
        return (Array(Data(base64Encoded: packed) ?? Data()), token)
    }

    @Test func bodyThatIsStillPackedIsUnpackedAndItsSecretsReplaced() throws {
        let (bytes, token) = try shared([])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"session":""#) && text.hasSuffix(#""}"#), "\(text)")
        #expect(!text.contains(token))
    }

    /// Whether its coding can be undone elsewhere is not for this machine to say.
    @Test(arguments: ["br", "gzip", "compress"]) func bodyInACodingThatWasNotUndoneIsNotShared(coding: String)
        throws
    {
        let plain = Self.gzip("anything at all")
        let (bytes, _) = try shared(plain, ",\"_authreel\":{\"contentCoding\":\"\(coding)\"}")
        #expect(bytes == [UInt8](repeating: 0, count: plain.count))
    }

    @Test func packedBodyThatBreaksOffIsNotShared() throws {
        let torn = Array(Self.gzip("anything at all").dropLast(12))
        #expect(try shared(torn).bytes == [UInt8](repeating: 0, count: torn.count))
    }

    @Test func otherBytesStay() throws {
        let picture: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 1, 2, 3, 4]
        #expect(try shared(picture).bytes == picture)
    }
}
