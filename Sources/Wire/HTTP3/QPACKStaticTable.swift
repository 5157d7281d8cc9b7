internal import Captures

/// The fields that every QPACK encoder and decoder knows, by their numbers (RFC 9204, appendix A).
enum QPACKStaticTable {
    static let fields = groups.flatMap { name, values in
        values.map { FieldTable.Field(name: name, value: $0) }
    }

    /// Fields of one name that stand side by side.
    private static let groups: [(name: String, values: [String])] = [
        (":authority", [""]),
        (":path", ["/"]),
        ("age", ["0"]),
        ("content-disposition", [""]),
        ("content-length", ["0"]),
        ("cookie", [""]),
        ("date", [""]),
        ("etag", [""]),
        ("if-modified-since", [""]),
        ("if-none-match", [""]),
        ("last-modified", [""]),
        ("link", [""]),
        ("location", [""]),
        ("referer", [""]),
        ("set-cookie", [""]),
        (":method", ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]),
        (":scheme", ["http", "https"]),
        (":status", ["103", "200", "304", "404", "503"]),
        ("accept", ["*/*", "application/dns-message"]),
        ("accept-encoding", ["gzip, deflate, br"]),
        ("accept-ranges", ["bytes"]),
        ("access-control-allow-headers", ["cache-control", "content-type"]),
        ("access-control-allow-origin", ["*"]),
        (
            "cache-control",
            [
                "max-age=0", "max-age=2592000", "max-age=604800", "no-cache", "no-store",
                "public, max-age=31536000",
            ]
        ),
        ("content-encoding", ["br", "gzip"]),
        (
            "content-type",
            [
                "application/dns-message", "application/javascript", "application/json",
                "application/x-www-form-urlencoded", "image/gif", "image/jpeg", "image/png", "text/css",
                "text/html; charset=utf-8", "text/plain", "text/plain;charset=utf-8",
            ]
        ),
        ("range", ["bytes=0-"]),
        (
            "strict-transport-security",
            [
                "max-age=31536000", "max-age=31536000; includesubdomains",
                "max-age=31536000; includesubdomains; preload",
            ]
        ),
        ("vary", ["accept-encoding", "origin"]),
        ("x-content-type-options", ["nosniff"]),
        ("x-xss-protection", ["1; mode=block"]),
        (":status", ["100", "204", "206", "302", "400", "403", "421", "425", "500"]),
        ("accept-language", [""]),
        ("access-control-allow-credentials", ["FALSE", "TRUE"]),
        ("access-control-allow-headers", ["*"]),
        ("access-control-allow-methods", ["get", "get, post, options", "options"]),
        ("access-control-expose-headers", ["content-length"]),
        ("access-control-request-headers", ["content-type"]),
        ("access-control-request-method", ["get", "post"]),
        ("alt-svc", ["clear"]),
        ("authorization", [""]),
        ("content-security-policy", ["script-src 'none'; object-src 'none'; base-uri 'none'"]),
        ("early-data", ["1"]),
        ("expect-ct", [""]),
        ("forwarded", [""]),
        ("if-range", [""]),
        ("origin", [""]),
        ("purpose", ["prefetch"]),
        ("server", [""]),
        ("timing-allow-origin", ["*"]),
        ("upgrade-insecure-requests", ["1"]),
        ("user-agent", [""]),
        ("x-forwarded-for", [""]),
        ("x-frame-options", ["deny", "sameorigin"]),
    ]
}
