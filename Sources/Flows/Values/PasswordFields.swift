package import Captures

/// Names of fields whose text pages hide while it is typed (`<input type="password">`), whatever they are called.
package struct PasswordFields: Sendable, Hashable {
    private var names: Set<String> = []

    package init() {}

    /// Those of the pages of some flows.
    package init(in flows: [Flow]) {
        for flow in flows {
            for exchange in flow.exchanges { add(flow.capture[exchange]) }
        }
    }

    /// Adds those of the page that an exchange brought; of anything else there are none.
    package mutating func add(_ exchange: Exchange) {
        for field in Self.all(in: exchange) { names.insert(field.name) }
    }

    /// The fields of the page that an exchange brought, each with where its form goes.
    package static func all(in exchange: Exchange) -> [(name: String, target: RecordedURL)] {
        guard let body = exchange.response?.body, (body.size ?? 0) <= maximumBytes, body.isPage,
            let page = body.bytes
        else { return [] }
        return HTMLForm.all(in: page).flatMap { form in
            form.fields.filter { $0.type == "password" }.map {
                (name: $0.name, target: exchange.request.url.resolving(form.action))
            }
        }
    }

    /// Whether a field of this name is one.
    package func contains(_ name: String) -> Bool { names.contains(name) }

    /// Those of the names that are wanted.
    package func filter(_ isIncluded: (String) -> Bool) -> PasswordFields {
        var fields = PasswordFields()
        fields.names = names.filter(isIncluded)
        return fields
    }

    /// Larger ones are no sign-in page, and are not read.
    private static let maximumBytes = 4 << 20
}
