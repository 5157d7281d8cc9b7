import Captures

/// A one-time code that is typed a digit a field: `d1=4&d2=8&…`, `digit[]=4&digit[]=8&…`, `"code": ["4", "8", …]`.
enum TypedDigits {
    /// Under which such a digit is known: the name of its field says nothing.
    static let name = "(digit)"

    private static let lengths = 4...10

    /// The fields, in order, that hold one.
    ///
    /// `fields`: each by its name, with what it holds.
    static func places(in fields: [(name: String, value: ArraySlice<UInt8>)]) -> Set<Int> {
        places(among: fields.count) { fields[$0] }
    }

    /// The same of so many fields, none of which is kept.
    static func places(
        among count: Int,
        _ field: (Int) -> (name: String, value: ArraySlice<UInt8>)
    ) -> Set<Int> {
        var places: Set<Int> = []
        var start = 0
        for index in 0...count {
            let isOne = index < count && isDigit(field(index).value)
            let goesOn =
                isOne && (index == start || follows(field(index).name, field(index - 1).name))
            if goesOn { continue }
            if lengths.contains(index - start) { places.formUnion(start..<index) }
            start = isOne ? index : index + 1
        }
        return places
    }

    private static func isDigit(_ value: ArraySlice<UInt8>) -> Bool {
        value.count == 1 && value.allSatisfy(\.isASCIIDigit)
    }

    /// Whether a name is the next one of a code's: of the same list, which says that it is one, or with the next number in it.
    private static func follows(_ name: String, _ before: String) -> Bool {
        if name == before { return isTelling(name) }
        guard let (stem, number) = numbered(name), let last = numbered(before) else { return false }
        return stem == last.stem && number - 1 == last.number
    }

    private static func isTelling(_ name: String) -> Bool {
        let key = SecretRoles.normalized(name)
        return ["code", "digit", "otp", "pin", "token"].contains(where: key.containsBytes)
    }

    /// What stands around the last number of a name, and that, which may be the greatest there is.
    private static func numbered(_ name: String) -> (stem: [UInt8], number: Int)? {
        let bytes = Array(name.utf8)
        guard bytes.count <= 64, let last = bytes.lastIndex(where: \.isASCIIDigit) else { return nil }
        let first = (bytes[..<last].lastIndex { !$0.isASCIIDigit }).map { $0 + 1 } ?? 0
        guard first > 0, let number = Int(String(decoding: bytes[first...last], as: UTF8.self)) else {
            return nil
        }
        return (Array(bytes[..<first] + bytes[(last + 1)...]), number)
    }
}
