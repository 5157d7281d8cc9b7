package import Captures

/// Values by the endpoints that they belong to.
///
/// A request has parameters of its own beside the query that is part of its endpoint's URL. So of the endpoints at one path, the one is
/// asked whose query is all in the request's; of several, the one with most of it.
package struct EndpointTable<Value: Sendable>: Sendable {
    /// An endpoint with its value.
    package struct Entry: Sendable {
        /// As it was added first.
        var url: RecordedURL
        /// What requests to it are known by.
        var address: EndpointAddress
        /// What belongs to it.
        package var value: Value
    }

    /// The endpoints at one path.
    private struct Path: Sendable {
        var entries: [Entry] = []
        /// Where each is among them.
        var indices: [EndpointAddress: Int] = [:]
        var hasQueries = false
    }

    private var paths: [String: Path] = [:]

    package init() {}

    /// The endpoints at the path of a URL, in the order in which they came.
    package func entries(at url: RecordedURL) -> [Entry] { path(of: url)?.entries ?? [] }

    private func path(of url: RecordedURL) -> Path? { paths[url.normalizedWithoutQuery] }

    /// The endpoint that a request is made to; nil where it has the query of none.
    package func entry(of url: RecordedURL) -> Entry? {
        path(of: url).flatMap { Self.entry(of: url, at: $0) }
    }

    private static func entry(of url: RecordedURL, at path: Path) -> Entry? {
        // As nearly everywhere.
        guard path.hasQueries else { return path.entries.first }
        let asked = EndpointAddress(url)
        // None has more of its query, and most requests have no other.
        if let index = path.indices[asked] { return path.entries[index] }
        if asked.parameterCount == 0 { return nil }
        return path.entries.filter { $0.address.takes(asked) }
            .max { $0.address.parameterCount < $1.address.parameterCount }
    }

    /// What belongs to the endpoint of a request; where it has the query of none, to the only one of its path.
    package subscript(url: RecordedURL) -> Value? {
        guard let path = path(of: url) else { return nil }
        return (Self.entry(of: url, at: path) ?? (path.entries.count == 1 ? path.entries.first : nil))?.value
    }

    /// Changes what belongs to an endpoint as metadata name it.
    package mutating func update(_ url: RecordedURL, default value: Value, _ change: (inout Value) -> Void) {
        let address = EndpointAddress(url)
        // Taken out, so that it is changed where it is and not in a copy.
        var path = paths.removeValue(forKey: address.place) ?? Path()
        if let index = path.indices[address] {
            change(&path.entries[index].value)
        } else {
            var value = value
            change(&value)
            path.indices[address] = path.entries.count
            path.entries.append(Entry(url: url, address: address, value: value))
            path.hasQueries = path.hasQueries || address.parameterCount > 0
        }
        paths[address.place] = path
    }

    /// Adds what is not known yet.
    package mutating func add(_ url: RecordedURL, _ value: Value) { update(url, default: value) { _ in } }
}
