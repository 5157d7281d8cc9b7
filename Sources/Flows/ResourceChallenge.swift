package import Captures
import OAuth

/// What a resource says when it refuses a request without a token (RFC 9728, section 5.1).
package struct ResourceChallenge: Sendable {
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
        metadata = fields.lazy.compactMap { Self.metadata(in: $0) }.first
        text = fields.isEmpty ? nil : fields.joined(separator: ", ")
    }

    /// The value of the parameter `resource_metadata`, quoted or not.
    static func metadata(in field: String) -> String? {
        let bytes = Array(field.utf8)
        let lower = bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        guard let name = lower.firstRange(of: Array("resource_metadata".utf8)) else { return nil }
        var rest = bytes[name.upperBound...].drop { $0 == 0x20 }
        guard rest.first == 0x3d else { return nil }
        rest = rest.dropFirst().drop { $0 == 0x20 }
        let value =
            rest.first == 0x22
            ? rest.dropFirst().prefix { $0 != 0x22 } : rest.prefix { $0 != 0x2c && $0 != 0x20 }
        return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
    }
}
