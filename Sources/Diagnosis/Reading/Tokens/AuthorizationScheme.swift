import Captures

/// The scheme of an `Authorization` header.
enum AuthorizationScheme {
    /// In lower case; nil without the header.
    static func of(_ request: RecordedRequest) -> String? {
        request.headers.first("authorization").map { header in
            String(decoding: header.utf8.prefix { $0 != 0x20 }, as: UTF8.self).lowercased()
        }
    }
}
