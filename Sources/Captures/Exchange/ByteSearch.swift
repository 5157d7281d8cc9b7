#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Looks for one text in another, by bytes: protocols have no characters.
package enum ByteSearch {
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

    private static func offset(of needle: UnsafeBufferPointer<UInt8>, in haystack: UnsafeBufferPointer<UInt8>)
        -> Int?
    {
        guard let first = needle.first, let wanted = needle.baseAddress else { return 0 }
        guard let begin = haystack.baseAddress else { return nil }
        var start = begin
        var rest = haystack.count - needle.count + 1
        while rest > 0, let found = memchr(start, Int32(first), rest) {
            let place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
            if memcmp(found, wanted, needle.count) == 0 { return place - begin }
            rest -= place + 1 - start
            start = place + 1
        }
        return nil
    }
}

extension String {
    /// Compares bytes; what is searched for is ASCII and in the case it is looked for.
    package func containsBytes(_ other: String) -> Bool { ByteSearch.contains(self, other) }
}
