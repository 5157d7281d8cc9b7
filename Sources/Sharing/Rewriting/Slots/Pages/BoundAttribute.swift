import Captures

/// What a page's framework binds an attribute to, where that is a text alone: `:family-name="'Quill'"` and `v-bind:…` of Vue,
/// `[familyName]="'Quill'"` of Angular.
struct BoundAttribute {
    /// Without the marks that say that it is bound.
    let name: String
    /// Between its quotation marks.
    let text: Range<Int>

    /// Nil for an attribute that is not bound, or to something else than a text.
    ///
    /// `name`: in small letters.
    init?(_ name: String, _ value: Range<Int>, in page: ArraySlice<UInt8>) {
        guard let own = Self.own(name), value.count > 2, let mark = page[value].first,
            mark == 0x27 || mark == 0x60, page[value.upperBound - 1] == mark
        else { return nil }
        let inner = (value.lowerBound + 1)..<(value.upperBound - 1)
        guard !page[inner].contains(mark) else { return nil }
        (self.name, text) = (String(own), inner)
    }

    /// Whether an attribute is given an expression: what that is nobody knows, but where it is an object or a list.
    static func isExpression(_ name: String, _ value: ArraySlice<UInt8>) -> Bool {
        own(name) != nil && value.first.map { $0 != 0x7b && $0 != 0x5b } ?? false
    }

    private static func own(_ name: String) -> Substring? {
        if name.hasPrefix("[") { return name.hasSuffix("]") ? name.dropFirst().dropLast() : nil }
        return ["v-bind:", ":"].first(where: name.hasPrefix).map { name.dropFirst($0.utf8.count) }
    }
}
