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
            other.withUTF8 { needle in
                guard let first = needle.first, let wanted = needle.baseAddress else { return true }
                guard var start = haystack.baseAddress else { return false }
                var rest = haystack.count - needle.count + 1
                while rest > 0, let found = memchr(start, Int32(first), rest) {
                    if memcmp(found, wanted, needle.count) == 0 { return true }
                    let next = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
                    rest -= next - start
                    start = next
                }
                return false
            }
        }
    }
}

extension String {
    /// Compares bytes; what is searched for is ASCII and in the case it is looked for.
    package func containsBytes(_ other: String) -> Bool { ByteSearch.contains(self, other) }
}
