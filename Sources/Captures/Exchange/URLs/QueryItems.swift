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
        var text = String(raw)
        items = text.withUTF8(Self.items)
    }

    private static func items(of bytes: UnsafeBufferPointer<UInt8>) -> [Item] {
        func text(_ range: Range<Int>) -> String {
            String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        }
        var items: [Item] = []
        var start = 0
        while start < bytes.count {
            let end = ByteSearch.index(of: 0x26, in: bytes, start..<bytes.count) ?? bytes.count
            defer { start = end + 1 }
            guard end > start else { continue }
            let equals = ByteSearch.index(of: 0x3d, in: bytes, start..<end)
            let raw = equals.map { text($0 + 1..<end) } ?? ""
            items.append(
                Item(
                    name: PercentEncoding.decode(text(start..<(equals ?? end)), plusIsSpace: true),
                    value: PercentEncoding.decode(raw, plusIsSpace: true),
                    rawValue: raw
                )
            )
        }
        return items
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

    /// The items of the query, then those of the fragment: an answer has its parameters in either
    /// (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1).
    package var queryAndFragmentItems: QueryItems {
        QueryItems(items: queryItems.items + fragmentItems.items)
    }
}

extension RecordedRequest {
    /// The items of the query, then those of the form that is its body; nothing merged.
    package var queryAndFormItems: QueryItems {
        QueryItems(items: url.queryItems.items + (FormBody.items(of: body)?.items ?? []))
    }
}
