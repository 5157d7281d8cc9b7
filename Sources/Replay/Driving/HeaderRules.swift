import Captures

/// Which recorded header fields a new request carries.
enum HeaderRules {
    /// Fields of one connection, of the sender's own making, or of a cache that is not there.
    static func isLeftOut(_ field: HeaderFields.Field) -> Bool {
        let name = field.name.lowercased()
        return name.utf8.first == 0x3a || dropped.contains(name) || name.utf8.starts(with: "proxy-".utf8)
    }

    private static let dropped: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade",
        "expect", "cookie", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since",
        "if-range",
        "content-encoding", "http2-settings", "alt-used",
    ]
}
