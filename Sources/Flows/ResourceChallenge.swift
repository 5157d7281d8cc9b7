package import Captures
import OAuth

/// What a resource says when it refuses a request without a token (RFC 9728, section 5.1).
package struct ResourceChallenge: Sendable {
    /// The refused one.
    package var exchange: Int
    /// The resource as the client addressed it.
    package var resource: RecordedURL
    /// The URL of the resource's metadata, where the challenge names one.
    package var metadata: String?
    /// The `WWW-Authenticate` fields in one line; nil where there was none.
    package var text: String?

    /// Nil where the answer is no 401, or one to a request for metadata.
    init?(_ exchange: Exchange, at index: Int) {
        guard let response = exchange.response, response.status == 401, exchange.request.url.isWeb,
            !MessageRecognizer.isMetadata(exchange.request.url)
        else { return nil }
        self.exchange = index
        resource = exchange.request.url
        let fields = response.headers.all("www-authenticate")
        metadata =
            AuthenticationChallenge.all(in: response.headers).lazy
            .compactMap { $0["resource_metadata"] }.first { !$0.isEmpty }
        text = fields.isEmpty ? nil : fields.joined(separator: ", ")
    }
}
