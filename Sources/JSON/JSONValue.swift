/// A JSON value as it stood: order and duplicates of members kept, numbers as text.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The text of a string, its escapes undone; nil for other values.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// What is true or false; nil for other values, be they 0 or `"true"`.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number as it was written; nil for other values.
    package var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }
    /// The number as an integer; nil where it is none or does not fit (see ``JSONNumber/int``).
    package var int: Int64? { number?.int }
    /// The number as far as a `Double` has it; nil for other values.
    package var double: Double? { number?.double }
    /// The elements of an array; nil for other values.
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object; nil for other values.
    package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The member of this name of an object; nil for other values.
    package subscript(name: String) -> JSONValue? { object?[name] }
}

extension JSONValue {
    /// A number, of a count or a time say; of what fits into 64 bits.
    package init(_ value: some BinaryInteger) { self = .number(JSONNumber(Int64(value))) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
    package init(nilLiteral: ()) { self = .null }
}

/// A number as it was written: `1`, `1.0` and `1e0` are told apart.
package struct JSONNumber: Sendable, Hashable {
    /// As it was written; what a parser gives follows RFC 8259, section 6.
    package let text: String

    package init(text: String) { self.text = text }
    package init(_ value: Int64) { self.text = String(value) }
    package init(_ value: Double) { self.text = "\(value)" }

    /// The value when it is an integer that fits, whatever its spelling (`1e3`, `2.0`).
    package var int: Int64? {
        if let int = Int64(text) { return int }
        guard let double, double == double.rounded(), abs(double) < 9_007_199_254_740_992 else { return nil }
        return Int64(double)
    }

    /// The nearest that there is; infinite where it is too large.
    package var double: Double? { Double(text) }
}

/// The members of an object, in order, duplicates kept.
package struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// A name and its value.
    package struct Member: Sendable, Hashable {
        /// Its escapes undone; need not be the only one of its name.
        package var name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// In the order in which they were written.
    package var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }
    package init(_ pairs: [(String, JSONValue)]) {
        self.members = pairs.map { Member(name: $0.0, value: $0.1) }
    }
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    package var isEmpty: Bool { members.isEmpty }

    /// The value of the last member of this name, as most parsers read duplicates; setting replaces all of
    /// them.
    package subscript(name: String) -> JSONValue? {
        get { members.last { $0.name == name }?.value }
        set {
            guard let newValue else {
                members.removeAll { $0.name == name }
                return
            }
            guard let index = members.firstIndex(where: { $0.name == name }) else {
                members.append(Member(name: name, value: newValue))
                return
            }
            members[index].value = newValue
            members = members.enumerated().filter { $0.offset == index || $0.element.name != name }.map(
                \.element
            )
        }
    }

    /// Names that occur more than once, in order of their second occurrence (RFC 8259, section 4).
    ///
    /// Compared as the RFC wants it (section 8.3), code unit by code unit: names that only look the same are two.
    package var duplicateNames: [String] {
        var counts: [[UInt8]: Int] = [:]
        return members.compactMap { member in
            let name = Array(member.name.utf8)
            let count = counts[name, default: 0] + 1
            counts[name] = count
            return count == 2 ? member.name : nil
        }
    }
}
