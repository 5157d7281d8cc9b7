package import Captures
import JSON

/// What an endpoint is known by: origin, path, and the query that its URL has of its own (RFC 6749, sections 3.1 and 3.2).
///
/// Names and values of the query count, and not how they are encoded or ordered; nor do capitals in values, since a provider may write its own
/// names in small letters (Azure AD B2C does so with policies).
package struct EndpointAddress: Sendable, Hashable {
    /// Origin and path; the URL as written for other schemes than http and https.
    package let place: String
    private let query: Set<QueryPair>

    private struct QueryPair: Sendable, Hashable {
        var name: ByteText
        var value: ByteText
    }

    package init(_ url: RecordedURL) {
        place = url.normalizedWithoutQuery
        query =
            url.query == nil
            ? []
            : Set(
                url.queryItems.items.map {
                    QueryPair(name: ByteText($0.name), value: ByteText($0.value.asciiLowercased()))
                }
            )
    }

    /// How many parameters the endpoint has of its own.
    var parameterCount: Int { query.count }

    /// Whether a request at this address is one to the endpoint: it has the endpoint's query, among other parameters.
    package func takes(_ asked: EndpointAddress) -> Bool {
        place == asked.place && query.isSubset(of: asked.query)
    }

    /// Whether it names the endpoint that was asked: nothing tells the two apart, be it that no query is known of the one asked.
    package func isSame(as asked: EndpointAddress) -> Bool {
        place == asked.place && (asked.query.isEmpty || query.isSubset(of: asked.query))
    }

    /// Whether both have a parameter of one name with other values.
    package func contradicts(_ asked: EndpointAddress) -> Bool {
        let missing = Set(query.subtracting(asked.query).map(\.name))
        return asked.query.contains { missing.contains($0.name) }
    }
}

extension RecordedURL {
    /// Whether this address, as metadata name it, is that of the endpoint that was asked, be a usual port written out or the host in
    /// capitals.
    package func isEndpoint(_ asked: RecordedURL) -> Bool {
        EndpointAddress(self).isSame(as: EndpointAddress(asked))
    }
}
