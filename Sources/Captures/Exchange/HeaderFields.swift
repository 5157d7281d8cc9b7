/// Header fields as they stood on the wire: order, case and duplicates kept.
package struct HeaderFields: Sendable, Hashable {
    /// One field line; the name in the case in which it was sent, the value without surrounding white space.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String
        /// Its bytes are no UTF-8: each character of name and value is one of them (see ``Latin1``).
        package var isLatin1: Bool

        package init(name: String, value: String, isLatin1: Bool = false) {
            self.name = name
            self.value = value
            self.isLatin1 = isLatin1
        }
    }

    /// The fields in the order in which they were sent.
    package var fields: [Field]

    package init(_ fields: [Field] = []) { self.fields = fields }

    package init(_ pairs: [(String, String)]) { self.fields = pairs.map { Field(name: $0.0, value: $0.1) } }

    /// The value of the first field of this name; names compare without regard to case (RFC 9110, section
    /// 5.1).
    package func first(_ name: String) -> String? {
        fields.firstIndex { $0.name.equalsIgnoringASCIICase(name) }.map { fields[$0].value }
    }

    /// The values of all fields of this name, in order.
    package func all(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// How many fields of this name there are.
    package func count(_ name: String) -> Int { fields.count { $0.name.equalsIgnoringASCIICase(name) } }

    package func contains(_ name: String) -> Bool { first(name) != nil }

    /// What all fields of a name list with commas in between, in lower case and without blanks.
    package func listed(_ name: String) -> Set<String> { Set(Self.elements(of: all(name))) }

    /// The same of values, in order; empty elements count for none (RFC 9110, section 5.6.1.2).
    static func elements(of values: [String]) -> [String] {
        values.flatMap { value in
            value.utf8.split(separator: 0x2c).map { element in
                String(decoding: element.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
            }
        }.filter { !$0.isEmpty }
    }

    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }
}

extension String {
    /// Compares as protocols compare their ASCII names: `A`–`Z` equal to `a`–`z`, every other byte to itself.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withBytes { bytes in other.withBytes { ASCIICase.areEqual(bytes, $0) } }
    }

    /// Strings that are not stored as UTF-8 (bridged ones) are copied first.
    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}
