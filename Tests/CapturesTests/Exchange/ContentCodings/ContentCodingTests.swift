import Captures
import Foundation
import TestSupport
import Testing

struct ContentCodingTests {
    /// "authreel" coded by zlib's own tools.
    private static let gzip = hex("1f8b08000000000000034b2c2dc9284a4dcd0100d620662d08000000")
    private static let zlib = hex("789c4b2c2dc9284a4dcd01000f30035b")
    private static let raw = hex("4b2c2dc9284a4dcd0100")

    private static func hex(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }

    private func decode(_ bytes: [UInt8], _ codings: [String], limit: Int = 1 << 20, cut: Bool = false)
        -> ContentCoding.Result
    {
        ContentCoding.decode(bytes, codings: codings, limit: limit)
    }

    @Test(arguments: [(gzip, "gzip"), (gzip, "x-gzip"), (zlib, "deflate"), (raw, "deflate")])
    func codedBytesAreUndone(bytes: [UInt8], coding: String) {
        let result = decode(bytes, [coding])
        #expect(result.bytes == Array("authreel".utf8))
        #expect(result.isWhole && result.remaining == nil)
    }

    @Test func gzipOfSeveralMembers() throws {
        let one = try Self.pack("auth")
        let two = try Self.pack("reel")
        let result = decode(one + two, ["gzip"])
        #expect(result.bytes == Array("authreel".utf8))
        #expect(result.isWhole && result.remaining == nil)
    }

    @Test func codingsOfTheTransferCountBehindThoseOfTheContent() {
        let headers = HeaderFields([
            HeaderFields.Field(name: "Transfer-Encoding", value: "gzip, Chunked"),
            HeaderFields.Field(name: "Content-Encoding", value: "br, identity"),
        ])
        #expect(ContentCoding.codings(of: headers) == ["br", "gzip"])
    }

    @Test func codingsAreUndoneLastAppliedFirst() throws {
        let twice = try Self.pack(Self.pack("authreel"))
        #expect(decode(twice, ["gzip", "x-gzip"]).bytes == Array("authreel".utf8))
    }

    @Test func unknownCodingIsKeptAsItCameAndNamed() throws {
        let inner = try Self.pack("authreel")
        let result = decode(inner, ["compress", "gzip"])
        #expect(result.bytes == Array("authreel".utf8))
        #expect(result.remaining == "compress")
        #expect(decode([1, 2, 3], ["zstd"]).bytes == [1, 2, 3])
        #expect(decode([1, 2, 3], ["gzip", "zstd"]).remaining == "gzip, zstd")
    }

    @Test func moreCodingsThanAnybodyAppliesAreLeft() throws {
        var bytes = Array("authreel".utf8)
        for _ in 0..<8 { bytes = try Self.pack(bytes) }
        #expect(decode(bytes, .init(repeating: "gzip", count: 8)).bytes == Array("authreel".utf8))
        bytes = try Self.pack(bytes)
        let result = decode(bytes, .init(repeating: "gzip", count: 9))
        #expect(result.bytes == bytes && result.remaining?.hasPrefix("gzip, gzip") == true)
    }

    @Test func whatIsNoGzipStaysAndIsNamed() {
        let result = decode(Array("plain".utf8), ["gzip"])
        #expect(result.bytes == Array("plain".utf8))
        #expect(result.remaining == "gzip")
    }

    @Test func beginningOfABodyIsDecodedAsFarAsItGoes() throws {
        let text = (0..<5000).map { String($0) }.joined(separator: ",")
        let packed = try Self.pack(text)
        let result = decode(Array(packed.prefix(packed.count / 2)), ["gzip"], cut: true)
        #expect(!result.isWhole)
        #expect(result.bytes.count > 1000 && Array(text.utf8).starts(with: result.bytes))
    }

    @Test func smallBodyThatWouldBecomeALargeOneEndsAtTheLimit() throws {
        let packed = try Self.pack(String(repeating: "x", count: 10 << 20))
        #expect(packed.count < 20_000)
        let result = decode(packed, ["gzip"], limit: 100_000)
        #expect(result.bytes.count == 100_000)
        #expect(!result.isWhole)
        // Its end is in the very piece that is cut.
        #expect(!decode(packed, ["gzip"], limit: 10 << 20 - 1).isWhole)
        #expect(decode(packed, ["gzip"], limit: 10 << 20).isWhole)
    }

    @Test func listOfCodingsIsReadFromEveryField() {
        let headers = HeaderFields([("Content-Encoding", "GZIP, identity"), ("content-encoding", " br ")])
        #expect(ContentCoding.codings(of: headers) == ["gzip", "br"])
        #expect(ContentCoding.codings(listedIn: [",gzip, ,br,"]) == ["gzip", "br"])
        // Those of its transfer come last, and are as often none.
        let transfer = HeaderFields([("Transfer-Encoding", "identity, gzip, chunked")]).fields
        #expect(ContentCoding.codings(of: HeaderFields(headers.fields + transfer)) == ["gzip", "br", "gzip"])
    }

    @Test(arguments: ["UTF-8", "none", "binary", "8bit", "identity, utf8"]) func whatIsNoCodingIsLeftOut(
        value: String
    ) {
        #expect(ContentCoding.codings(of: HeaderFields([("Content-Encoding", value)])).isEmpty)
        #expect(ContentCoding.codings(of: HeaderFields([("Content-Encoding", value + ", gzip")])) == ["gzip"])
    }

    @Test func hostileBytesNeverTrap() throws {
        var random = SeededGenerator(seed: 1952)
        let packed = try Self.pack("authreel authreel authreel")
        for _ in 0..<2000 {
            var bytes = packed
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
            }
            for coding in ["gzip", "deflate"] { _ = decode(bytes, [coding], limit: 1000) }
        }
    }

    private static func pack(_ text: String) throws -> [UInt8] { try pack(Array(text.utf8)) }

    static func pack(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data(bytes).write(to: URL(filePath: folder.file("a")))
        let packed = try Program.run(["-n", folder.file("a")], executable: "/usr/bin/gzip")
        #expect(packed.status == 0)
        return try Array(Data(contentsOf: URL(filePath: folder.file("a.gz"))))
    }
}
