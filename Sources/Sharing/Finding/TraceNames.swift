import Captures

/// The names under which stands what a request is called in logs: `X-Request-Id`, `traceparent`, Entra's `correlation_id`.
///
/// It opens nothing, and is what a provider asks for first. Nor does what a cache knows a version by (RFC 9110, section 8.8.3).
///
/// `request_id` alone is none: some providers call a login so that is going on.
enum TraceNames {
    /// `key`: as ``SecretRoles/normalized(_:)`` has it.
    static func contain(_ key: String) -> Bool { names.contains(key) }

    /// Whether it is named so by the words before a place: `Trace ID: …`, `Correlation ID: …` in what Entra says of an error.
    static func stand(before place: Int, in text: [UInt8]) -> Bool {
        let gap = text[..<place].suffix(longestName).reversed().drop { [0x20, 0x3a, 0x3d].contains($0) }
        let words = gap.prefix { $0.isASCIILetter || [0x20, 0x2d, 0x5f].contains($0) }
        let key = SecretRoles.normalized(SlotReader.string(words.reversed()))
        return ["traceid", "correlationid"].contains(where: key.hasSuffix)
    }

    /// In bytes, with what stands behind it.
    private static let longestName = 24

    private static let names = Set(
        [
            "traceid", "spanid", "parentspanid", "traceparent", "correlationid", "clientrequestid",
            "fbtraceid",
            "xrequestid", "xcorrelationid", "xtraceid", "xfbtraceid", "cfray", "xamznrequestid",
            "xamzrequestid",
            "xamzncorrelationid", "xamzntraceid", "xamzcfid", "xamzid2", "xamzapigwid", "xmsrequestid",
            "xmsclientrequestid", "xmscorrelationrequestid", "xazureref", "xcloudtracecontext", "xb3traceid",
            "xb3spanid", "xb3parentspanid", "xoktarequestid", "xgithubrequestid", "xvercelid", "flyrequestid",
            "xkongrequestid", "ubertraceid", "sentrytrace", "xdatadogtraceid", "etag", "ifmatch",
            "ifnonematch",
        ]
    )
}
