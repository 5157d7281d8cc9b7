package import Captures

/// Values by the endpoints that they belong to.
///
/// A request has parameters of its own beside the query that is part of its endpoint's URL. So of the endpoints at one path, the one is
/// asked whose query is all in the request's; of several, the one with most of it.
package struct EndpointTable<Value: Sendable>: Sendable {
    package struct Entry: Sendable {
        package var url: RecordedURL
        package var address: EndpointAddress
        package var value: Value
    }

    private var entries: [String: [Entry]] = [:]

    package init() {}

    /// The endpoints at the path of a URL, in the order in which they came.
    package func entries(at url: RecordedURL) -> [Entry] { entries[url.normalizedWithoutQuery] ?? [] }

    /// The endpoint that a request is made to; nil where it has the query of none.
    package func entry(of url: RecordedURL) -> Entry? { Self.entry(of: url, among: entries(at: url)) }

    private static func entry(of url: RecordedURL, among all: [Entry]) -> Entry? {
        // As nearly everywhere.
        if all.allSatisfy({ $0.address.parameterCount == 0 }) { return all.first }
        let asked = EndpointAddress(url)
        return all.filter { $0.address.takes(asked) }
            .max { $0.address.parameterCount < $1.address.parameterCount }
    }

    /// What belongs to the endpoint of a request; where it has the query of none, to the only one of its path.
    package subscript(url: RecordedURL) -> Value? {
        let all = entries(at: url)
        return (Self.entry(of: url, among: all) ?? (all.count == 1 ? all.first : nil))?.value
    }

    /// Changes what belongs to an endpoint as metadata name it.
    package mutating func update(_ url: RecordedURL, default value: Value, _ change: (inout Value) -> Void) {
        let address = EndpointAddress(url)
        // Taken out, so that it is changed where it is and not in a copy.
        var all = entries.removeValue(forKey: address.place) ?? []
        if let index = all.firstIndex(where: { $0.address == address }) {
            change(&all[index].value)
        } else {
            var value = value
            change(&value)
            all.append(Entry(url: url, address: address, value: value))
        }
        entries[address.place] = all
    }

    /// Adds what is not known yet.
    package mutating func add(_ url: RecordedURL, _ value: Value) { update(url, default: value) { _ in } }
}
