/// What Dart prints of a map: `{grant_type: authorization_code, code: abcd}`.
///
/// Nothing is quoted there: a value goes on up to the next comma behind which a name and a colon stand.
enum DartMap {
    /// The parameters, as dio sends them as a form; nil where a text is no map.
    static func form(_ text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") else { return nil }
        var items: [(String, String)] = []
        for part in String(text.dropFirst().dropLast()).split(
            separator: ", ",
            omittingEmptySubsequences: false
        ) {
            if let item = item(part) {
                items.append(item)
            } else if let last = items.indices.last {
                items[last].1 += ", \(part)"
            } else {
                return nil
            }
        }
        // What is null is sent as its name alone.
        return items.isEmpty ? nil : FormBody.encode(items.map { ($0.0, $0.1 == "null" ? "" : $0.1) })
    }

    private static func item(_ part: Substring) -> (String, String)? {
        let name = part.utf8.prefix { $0.isASCIIAlphanumeric || "_-.[]".utf8.contains($0) }
        let rest = part.utf8.dropFirst(name.count)
        guard !name.isEmpty, rest.starts(with: ": ".utf8) || rest.elementsEqual(":".utf8) else { return nil }
        return (
            String(decoding: name, as: UTF8.self), String(decoding: rest.dropFirst(2), as: UTF8.self)
        )
    }
}
