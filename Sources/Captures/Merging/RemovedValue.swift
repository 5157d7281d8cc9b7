/// Tells a value from what a recorder, a program or a person put in its place.
enum RemovedValue {
    private static let marks = ["redacted", "removed", "masked", "***", "xxxxxx", "…", "██"]
    /// The signs as a query has them.
    private static let encodedMarks = ["%2a%2a%2a", "%e2%80%a6", "%e2%96%88"]

    /// Whether a value is none, or has a mark in it that something was taken out.
    static func isOne(_ value: String) -> Bool { value.isEmpty || isMarked(value, marks) }

    /// Whether something was taken out of a query or a form.
    static func isAmong(_ items: QueryItems) -> Bool { items.items.contains { isMarked($0.value, marks) } }

    /// Whether something was taken out of a query, a redirect or a field, as it was sent.
    static func isWithin(_ text: String) -> Bool { isMarked(text, marks + encodedMarks) }

    private static func isMarked(_ value: String, _ marks: [String]) -> Bool {
        let text = value.lowercased()
        // A token may have some of them in it.
        let isOfOneSign =
            (3...6).contains(text.utf8.count) && text.utf8.allSatisfy { $0 == UInt8(ascii: "x") }
        return isOfOneSign || marks.contains(where: text.containsBytes)
    }

    /// Whether two values are the same, as far as both are there.
    static func areAlike(_ left: String, _ right: String) -> Bool {
        left == right || isOne(left) || isOne(right)
    }

    /// Whether two queries or forms are the same but for values that were taken out of one.
    static func areAlike(_ left: QueryItems, _ right: QueryItems) -> Bool {
        left.items.count == right.items.count
            && zip(left.items, right.items).allSatisfy { own, other in
                own.name == other.name && areAlike(own.value, other.value)
            }
    }

    /// A URL with its query as another's, where something was taken out of its own and nothing out of the other's.
    static func filled(_ url: RecordedURL, from other: RecordedURL) -> RecordedURL {
        guard let query = url.query, let told = other.query, isWithin(query), !isWithin(told),
            areAlike(url.queryItems, other.queryItems)
        else { return url }
        // Behind the first question mark stands the query, and behind that a fragment perhaps.
        let before = url.text.utf8.prefix { $0 != UInt8(ascii: "?") }
        let behind = url.text.utf8.dropFirst(before.count + 1 + query.utf8.count)
        return RecordedURL("\(Substring(before))?\(told)\(Substring(behind))")
    }

    /// The value of a header field, where something was taken out of it, as another recorder has it; nil where that is not the
    /// same, or lacks it, too.
    static func filled(_ value: String, of name: String, from other: String) -> String? {
        guard isWithin(value), !isWithin(other) else { return nil }
        switch name {
        case "location":
            // A proxy may have given it another server.
            let text = filled(RecordedURL(value), from: RecordedURL(other)).text
            return text == value ? nil : text
        case "set-cookie":
            let names = [value, other].map { $0.utf8.prefix { $0 != UInt8(ascii: "=") } }
            return names[0].elementsEqual(names[1]) ? other : nil
        case "authorization", "proxy-authorization":
            // Behind a gateway another credential may go on.
            let schemes = [value, other].map { $0.prefix { $0 != " " }.lowercased() }
            return schemes[0] == schemes[1] || isMarked(schemes[0], marks) ? other : nil
        default: return other
        }
    }
}
