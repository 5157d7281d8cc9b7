internal import Captures

/// The fields that every HPACK encoder and decoder knows, by their numbers from 1 on (RFC 7541, appendix A).
enum HPACKStaticTable {
    static let fields = groups.flatMap { name, values in
        values.map { HeaderFields.Field(name: name, value: $0) }
    }

    /// Fields of one name that stand side by side.
    private static let groups: [(name: String, values: [String])] = [
        (":authority", [""]),
        (":method", ["GET", "POST"]),
        (":path", ["/", "/index.html"]),
        (":scheme", ["http", "https"]),
        (":status", ["200", "204", "206", "304", "400", "404", "500"]),
        ("accept-charset", [""]),
        ("accept-encoding", ["gzip, deflate"]),
        ("accept-language", [""]),
        ("accept-ranges", [""]),
        ("accept", [""]),
        ("access-control-allow-origin", [""]),
        ("age", [""]),
        ("allow", [""]),
        ("authorization", [""]),
        ("cache-control", [""]),
        ("content-disposition", [""]),
        ("content-encoding", [""]),
        ("content-language", [""]),
        ("content-length", [""]),
        ("content-location", [""]),
        ("content-range", [""]),
        ("content-type", [""]),
        ("cookie", [""]),
        ("date", [""]),
        ("etag", [""]),
        ("expect", [""]),
        ("expires", [""]),
        ("from", [""]),
        ("host", [""]),
        ("if-match", [""]),
        ("if-modified-since", [""]),
        ("if-none-match", [""]),
        ("if-range", [""]),
        ("if-unmodified-since", [""]),
        ("last-modified", [""]),
        ("link", [""]),
        ("location", [""]),
        ("max-forwards", [""]),
        ("proxy-authenticate", [""]),
        ("proxy-authorization", [""]),
        ("range", [""]),
        ("referer", [""]),
        ("refresh", [""]),
        ("retry-after", [""]),
        ("server", [""]),
        ("set-cookie", [""]),
        ("strict-transport-security", [""]),
        ("transfer-encoding", [""]),
        ("user-agent", [""]),
        ("vary", [""]),
        ("via", [""]),
        ("www-authenticate", [""]),
    ]
}
