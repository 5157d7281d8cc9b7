#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Looks for one text in another, by bytes: protocols have no characters.
package enum ByteSearch {
    /// Whether one text stands in the other; the empty one stands in each.
    package static func contains(_ text: String, _ other: String) -> Bool {
        var text = text
        var other = other
        return text.withUTF8 { haystack in
            other.withUTF8 { needle in offset(of: needle, in: haystack) != nil }
        }
    }

    /// Where the first occurrence begins, at `start` or behind it; nil where there is none.
    package static func index(of needle: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
        bytes.withUnsafeBufferPointer { haystack in
            needle.withUnsafeBufferPointer { needle in
                guard start <= haystack.count else { return nil }
                let rest = UnsafeBufferPointer(rebasing: haystack[start...])
                return offset(of: needle, in: rest).map { start + $0 }
            }
        }
    }

    /// The first place of a byte within a range; nil where there is none.
    package static func index(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>)
        -> Int?
    {
        guard !range.isEmpty, let base = bytes.baseAddress,
            let found = memchr(base + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
    }

    /// The first place of a text; nil where there is none.
    package static func index(of text: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        offset(of: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), in: bytes)
    }

    fileprivate static func offset(
        of needle: UnsafeBufferPointer<UInt8>,
        in haystack: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        guard let wanted = needle.baseAddress, !needle.isEmpty else { return 0 }
        guard let begin = haystack.baseAddress, haystack.count >= needle.count else { return nil }
        // The C library looks for one byte at many times the speed of anything else: for the rarest, which stops it least.
        let ahead = haystack.count < shortText ? 0 : rarest(of: needle)
        let rare = Int32(needle[ahead])
        var start = begin + ahead
        var rest = haystack.count - needle.count + 1
        while rest > 0, let found = memchr(start, rare, rest) {
            let place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
            if memcmp(place - ahead, wanted, needle.count) == 0 { return place - ahead - begin }
            rest -= place + 1 - start
            start = place + 1
        }
        return nil
    }

    /// In bytes; in a shorter one the choice costs more than it saves.
    private static let shortText = 128

    /// Where the byte of a text stands that is rarest in pages, addresses and JSON.
    private static func rarest(of needle: UnsafeBufferPointer<UInt8>) -> Int {
        commonness.withUnsafeBufferPointer { commonness in
            var best = 0
            for (place, byte) in needle.enumerated()
            where commonness[Int(byte)] < commonness[Int(needle[best])] { best = place }
            return best
        }
    }

    /// How common each byte is against the others; nothing is wrong where it is not.
    private static let commonness: [UInt8] = {
        var ranks = [UInt8](repeating: 0, count: 256)
        let letters = "etaoinsrlcdpumhgfbyvwkxjzq"
        for (rank, byte) in letters.utf8.enumerated() {
            ranks[Int(byte)] = UInt8(200 - rank * 5)
            ranks[Int(byte) & 0xdf] = UInt8(60 - rank)
        }
        for byte in "0123456789".utf8 { ranks[Int(byte)] = 70 }
        for byte in "_-=&%+#?".utf8 { ranks[Int(byte)] = 50 }
        for byte in "<>/\"':;.,()\n".utf8 { ranks[Int(byte)] = 190 }
        ranks[0x20] = 255
        return ranks
    }()
}

extension ArraySlice<UInt8> {
    /// Where the first occurrence stands; nil where there is none.
    ///
    /// Stands for what the standard library has under this name, which compares elements of any kind one by one.
    package func firstRange(of needle: [UInt8]) -> Range<Int>? {
        let offset = withUnsafeBufferPointer { haystack in
            needle.withUnsafeBufferPointer { ByteSearch.offset(of: $0, in: haystack) }
        }
        return offset.map { startIndex + $0..<startIndex + $0 + needle.count }
    }
}

extension [UInt8] {
    /// Where the first occurrence stands; nil where there is none.
    package func firstRange(of needle: [UInt8]) -> Range<Int>? { self[...].firstRange(of: needle) }
}

extension String {
    /// Compares bytes; what is searched for is ASCII and in the case it is looked for.
    package func containsBytes(_ other: String) -> Bool { ByteSearch.contains(self, other) }

    /// With every occurrence of a text replaced, whatever follows it; `old` is not empty.
    ///
    /// The standard library and Foundation compare characters: to them `'` in front of U+0301 is none, and to a shell it ends a word.
    package func replacingBytes(_ old: String, with new: String) -> String {
        guard containsBytes(old), !old.isEmpty else { return self }
        let bytes = Array(utf8)
        let needle = Array(old.utf8)
        var output: [UInt8] = []
        var start = 0
        while let place = ByteSearch.index(of: needle, in: bytes, from: start) {
            output += bytes[start..<place] + Array(new.utf8)
            start = place + needle.count
        }
        return String(decoding: output + bytes[start...], as: UTF8.self)
    }
}
