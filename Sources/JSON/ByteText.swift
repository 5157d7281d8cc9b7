#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A text that is the same as another byte by byte, as key of a table.
///
/// Two of `String` are equal where Unicode calls them so: é as one code point, and as e with an accent behind it. Protocols
/// normalise nothing (RFC 3986, section 6.2.1; RFC 8259, section 8.3).
package struct ByteText: Sendable, Hashable {
    /// As it was given.
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ByteText, right: ByteText) -> Bool { left.text.equalsBytes(of: right.text) }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isHashed == nil { Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}

extension String {
    /// Whether the other is there and has the same bytes: see ``ByteText``.
    package func equalsBytes(of other: String?) -> Bool {
        guard let other else { return false }
        let areEqual = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count else { return false }
                guard let start = left.baseAddress, let otherStart = right.baseAddress else { return true }
                return memcmp(start, otherStart, left.count) == 0
            }
        }
        return (areEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// Whether one of them has the bytes of a text.
    package func contains(bytesOf text: String) -> Bool { contains { $0.equalsBytes(of: text) } }
}
