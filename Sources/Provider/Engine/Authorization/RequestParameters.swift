import Captures

/// The parameters of a request, in order: of its query or form, or of what was pushed or signed in their place.
struct RequestParameters: Sendable {
    private(set) var items: [(name: String, value: String)]

    init(_ items: [(name: String, value: String)] = []) { self.items = items }

    init(_ sent: QueryItems) { items = sent.items.map { ($0.name, $0.value) } }

    /// The first value of a parameter, which may be empty.
    subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    /// The same; nil of a parameter without a value, which counts as left out (RFC 6749, section 3.1).
    func value(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }

    func contains(_ name: String) -> Bool { items.contains { $0.name == name } }

    mutating func append(_ name: String, _ value: String) { items.append((name, value)) }

    /// These, and of those beside them what they lack: who asks, and anything where that may add to them.
    func merged(with outer: RequestParameters, mayAdd: Bool) -> RequestParameters {
        let added = outer.items.filter { ($0.name == "client_id" || mayAdd) && !contains($0.name) }
        return RequestParameters(items + added)
    }
}
