import Captures
import Foundation
import TestSupport
import Testing

/// The codings whose libraries are loaded at run time: brotli and zstd.
///
/// The coded bytes, here and under `Tests/Vectors/content-coding`, were made by Python's `brotli` and `zstandard`.
@Suite(.enabled(if: LoadedCodings.isAvailable, Comment(rawValue: LoadedCodings.missing)))
struct LoadedCodingTests {
    /// "authreel".
    private static let brotli = [UInt8](hex: "8b0380617574687265656c03")
    /// "authreel", with a checksum.
    private static let zstandard = [UInt8](hex: "28b52ffd2408410000617574687265656cd662c13a")
    private static let text = Array("authreel".utf8)
    /// The numbers below 5000 with commas between them; the zstd of it comes in blocks, as from a server that streams.
    private static let numbers = Array((0..<5000).map { String($0) }.joined(separator: ",").utf8)

    static let codings = ["br", "zstd"]

    private static func bytes(_ coding: String) -> [UInt8] { coding == "br" ? brotli : zstandard }

    private static func coded(_ coding: String) throws -> [UInt8] {
        try Fixtures.bytes("Tests/Vectors/content-coding/numbers.\(coding == "br" ? "br" : "zst")")
    }

    private func decode(_ bytes: [UInt8], _ codings: [String], limit: Int = 1 << 20) -> ContentCoding.Result {
        ContentCoding.decode(bytes, codings: codings, limit: limit)
    }

    @Test(arguments: codings) func codedBytesAreUndone(_ coding: String) throws {
        let short = decode(Self.bytes(coding), [coding])
        #expect(short.bytes == Self.text && short.isWhole && short.remaining == nil)
        let long = decode(try Self.coded(coding), [coding])
        #expect(long.bytes == Self.numbers && long.isWhole && long.remaining == nil)
    }

    @Test func emptyBodiesAreWhole() {
        for (bytes, coding) in [("3b", "br"), ("28b52ffd2000010000", "zstd")] {
            let result = decode([UInt8](hex: bytes), [coding])
            #expect(result.bytes.isEmpty && result.isWhole && result.remaining == nil)
        }
    }

    @Test func codingsAreUndoneLastAppliedFirst() {
        let brotli = "8b0d801f8b08000000000002034b2c2dc9284a4dcd0100d620662d0800000003"
        let zstandard = "28b52ffd201ce100001f8b08000000000002034b2c2dc9284a4dcd0100d620662d08000000"
        for (bytes, coding) in [(brotli, "br"), (zstandard, "zstd")] {
            let result = decode([UInt8](hex: bytes), ["gzip", coding])
            #expect(result.bytes == Self.text && result.isWhole && result.remaining == nil)
            let unknown = decode([UInt8](hex: bytes), ["dcb", coding])
            #expect(unknown.remaining == "dcb" && unknown.bytes.starts(with: [0x1f, 0x8b]))
        }
    }

    @Test(arguments: codings) func beginningOfABodyIsDecodedAsFarAsItGoes(_ coding: String) throws {
        let coded = try Self.coded(coding)
        for count in 0..<coded.count where count < 40 || count % 97 == 0 {
            let result = decode(Array(coded.prefix(count)), [coding])
            if result.remaining == nil {
                #expect(!result.isWhole && !result.bytes.isEmpty)
                #expect(Self.numbers.starts(with: result.bytes), "\(count)")
            } else {
                // Nothing comes out: kept as it came.
                #expect(result.bytes == Array(coded.prefix(count)) && result.remaining == coding)
            }
        }
        let half = decode(Array(coded.prefix(coded.count - 10)), [coding])
        #expect(half.bytes.count > 1000 && !half.isWhole)
    }

    @Test(arguments: codings) func whatIsNoSuchCodingStaysAndIsNamed(_ coding: String) {
        let plain = Array("plain, and long enough to be told apart from coded bytes".utf8)
        let result = decode(plain, [coding])
        #expect(result.bytes == plain && result.remaining == coding)
    }

    @Test(arguments: codings) func whatFollowsTheEndMakesTheBodyNotWhole(_ coding: String) {
        let result = decode(Self.bytes(coding) + Array("garbage".utf8), [coding])
        #expect(result.bytes == Self.text && !result.isWhole && result.remaining == nil)
    }

    @Test func zstandardOfSeveralFrames() {
        let skippable = [UInt8](hex: "502a4d18 03000000 616263")
        let result = decode(Self.zstandard + skippable + Self.zstandard, ["zstd"])
        #expect(result.bytes == Self.text + Self.text && result.isWhole)
    }

    @Test func damagedChecksumEndsTheBody() {
        var bytes = Self.zstandard
        bytes[bytes.count - 1] ^= 1
        let result = decode(bytes, ["zstd"])
        #expect(result.bytes == bytes && result.remaining == "zstd")
    }

    @Test(arguments: codings) func damageInTheMiddleEndsTheBodyThere(_ coding: String) throws {
        var coded = try Self.coded(coding)
        for index in coded.indices.suffix(coded.count / 3) { coded[index] ^= 0xa5 }
        let result = decode(coded, [coding])
        #expect(!result.isWhole && result.remaining == nil)
        #expect(result.bytes.count > 1000 && result.bytes.count < 1 << 20)
    }

    @Test(arguments: codings) func smallBodyThatWouldBecomeALargeOneEndsAtTheLimit(_ coding: String) throws {
        // Ten mebibytes of "x".
        let coded =
            coding == "br"
            ? [UInt8](hex: "cbffff3ff825f0e2b14020f7fe2fffff3ff04b00c4611180eefd07")
            : try Fixtures.bytes("Tests/Vectors/content-coding/ten-mebibytes-of-x.zst")
        #expect(coded.count < 1000)
        let cut = decode(coded, [coding], limit: 100_000)
        #expect(cut.bytes.count == 100_000 && !cut.isWhole)
        let whole = decode(coded, [coding], limit: 10 << 20)
        #expect(whole.bytes.count == 10 << 20 && whole.isWhole)
        #expect(!decode(coded, [coding], limit: 10 << 20 - 1).isWhole)
    }

    @Test func windowBeyondWhatContentCodingsMayAskForIsRefused() {
        let eightMebibytes = decode([UInt8](hex: "28b52ffd0068410000617574687265656c"), ["zstd"])
        #expect(eightMebibytes.bytes == Self.text)
        let sixteenMebibytes = decode([UInt8](hex: "28b52ffd0070410000617574687265656c"), ["zstd"])
        #expect(sixteenMebibytes.remaining == "zstd")
    }

    @Test(arguments: codings) func hostileBytesNeverTrap(_ coding: String) throws {
        var random = SeededGenerator(seed: 7932)
        let coded = try Array(Self.coded(coding))
        for _ in 0..<500 {
            var bytes = Array(coded.prefix(Int.random(in: 1...coded.count, using: &random)))
            for _ in 0..<3 {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            #expect(decode(bytes, [coding], limit: 5000).bytes.count <= max(5000, bytes.count))
        }
    }

    @Test(arguments: codings) func manyThreadsDecodeAtOnce(_ coding: String) async throws {
        let coded = try Self.coded(coding)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { decode(coded, [coding]).bytes == Self.numbers }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test(arguments: [("dcb", "br"), ("dcz", "zstd")])
    func whatWasCodedAgainstADictionaryStays(_ coding: String, _ without: String) {
        let result = decode(Self.bytes(without), [coding])
        #expect(result.bytes == Self.bytes(without) && result.remaining == coding)
    }
}

/// The system's libraries for brotli and zstd.
enum LoadedCodings {
    /// Continuous integration has to have them, elsewhere they may be missing.
    static var isAvailable: Bool {
        ContentCoding.known.isSuperset(of: ["br", "zstd"])
            || ProcessInfo.processInfo.environment["CI"] != nil
    }

    static let missing = "libbrotlidec or libzstd cannot be loaded (Debian: libbrotli1 libzstd1)"
}
