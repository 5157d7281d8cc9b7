package import Captures
package import JOSE
import JSON

/// A key set as it was served (`jwks_uri`).
package struct KeySetDocument: Sendable {
    /// The exchange that asked for it.
    package var exchange: Int
    /// Where it was asked for.
    package var url: RecordedURL
    /// The URL, with no more of the query than belongs to the endpoint.
    package var endpoint: RecordedURL
    /// What came; need not be a key set.
    package var answer: Answer
    /// When the answer was over.
    package var servedAt: Timestamp
    /// Nil where the answer is none.
    package var keys: JSONWebKeySet?

    init(
        exchange: Int,
        url: RecordedURL,
        endpoint: RecordedURL,
        answer: Answer,
        servedAt: Timestamp
    ) {
        self.exchange = exchange
        self.url = url
        self.endpoint = endpoint
        self.answer = answer
        self.servedAt = servedAt
        keys = answer.json.flatMap { JSONWebKeySet(json: .object($0)) }
    }
}
