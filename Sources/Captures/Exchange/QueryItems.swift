/// The `name=value` pairs of a query, a fragment or a form body, in order, as sent and decoded.
package struct QueryItems: Sendable, Hashable {
    /// One pair.
    ///
    /// An item without `=` has an empty value.
    package struct Item: Sendable, Hashable {
        package var name: String
        package var value: String
        /// As it stood on the wire, for evidence (`a%2Fb` came back `a/b`).
        package var rawValue: String

        package init(name: String, value: String, rawValue: String) {
            self.name = name
            self.value = value
            self.rawValue = rawValue
        }
    }

    package var items: [Item]

    package init(items: [Item] = []) { self.items = items }

    /// Takes apart a query as it stands after `?` (or `#`).
    ///
    /// Both `+` and `%20` are a space.
    package init(_ raw: some StringProtocol) {
        items = String(raw).utf8.split(separator: 0x26).map { pair in
            let equals = pair.firstIndex(of: 0x3d)
            let name = String(pair[..<(equals ?? pair.endIndex)]) ?? ""
            let value = equals.flatMap { String(pair[pair.index(after: $0)...]) } ?? ""
            return Item(
                name: PercentEncoding.decode(name, plusIsSpace: true),
                value: PercentEncoding.decode(value, plusIsSpace: true),
                rawValue: value
            )
        }
    }

    /// The decoded value of the first item of this name.
    package func first(_ name: String) -> String? { items.first { $0.name == name }?.value }

    package func contains(_ name: String) -> Bool { items.contains { $0.name == name } }
}

extension RecordedURL {
    /// The items of the query; none where there is no `?`.
    package var queryItems: QueryItems { QueryItems(query ?? "") }

    /// The items of the fragment, as `response_mode=fragment` writes them.
    package var fragmentItems: QueryItems { QueryItems(fragment ?? "") }
}
