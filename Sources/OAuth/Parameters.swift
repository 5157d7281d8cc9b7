package import Captures
package import JSON

/// One protocol parameter, with the place it stands at.
package struct Parameter: Sendable, Hashable {
    /// As it was sent.
    package var name: String
    /// Decoded once.
    package var value: String
    /// As on the wire, where that differs; else equal to ``value``.
    package var rawValue: String
    /// Where it stands, under the name that it has there.
    package var place: Place

    package init(name: String, value: String, rawValue: String? = nil, place: Place) {
        self.name = name
        self.value = value
        self.rawValue = rawValue ?? value
        self.place = place
    }
}

/// The parameters of a message: order and duplicates kept.
package struct Parameters: Sendable, Hashable {
    /// In the order in which they were sent.
    package var items: [Parameter]

    package init(_ items: [Parameter] = []) { self.items = items }

    /// The items of a query, form or fragment of an exchange.
    package init(_ query: QueryItems, of exchange: Int, in part: Place.Part) {
        items = query.items.map {
            Parameter(
                name: $0.name,
                value: $0.value,
                rawValue: $0.rawValue,
                place: Place(exchange: exchange, part: part, name: $0.name)
            )
        }
    }

    /// The scalar members of a JSON object; nested values are their JSON text.
    package init(_ object: JSONObject, of exchange: Int, in part: Place.Part) {
        items = object.members.map { member in
            let value =
                switch member.value {
                case .string(let text): text
                case .null: ""
                default: JSONWriter.text(of: member.value)
                }
            return Parameter(
                name: member.name,
                value: value,
                place: Place(exchange: exchange, part: part, name: member.name)
            )
        }
    }

    /// Whether there are none.
    package var isEmpty: Bool { items.isEmpty }

    /// The value of the first parameter of this name.
    package subscript(name: String) -> String? { index(of: name).map { items[$0].value } }

    /// The first parameter of this name, with its place.
    package func parameter(_ name: String) -> Parameter? { index(of: name).map { items[$0] } }

    /// By index, so that those of other names are not copied.
    private func index(of name: String) -> Int? { items.indices.first { items[$0].name == name } }

    /// Whether there is one of this name, be it empty.
    package func contains(_ name: String) -> Bool { items.contains { $0.name == name } }

    /// Those of the other that this has not.
    package func merged(with other: Parameters) -> Parameters {
        let own = Set(items.map(\.name))
        return Parameters(items + other.items.filter { !own.contains($0.name) })
    }
}
