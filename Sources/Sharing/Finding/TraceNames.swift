import Captures

/// The names under which stands what a request is called in logs: `X-Request-Id`, `traceparent`, Entra's `correlation_id`.
///
/// It opens nothing, and is what a provider asks for first.
///
/// `request_id` alone is none: some providers call a login so that is going on.
enum TraceNames {
    /// `key`: as ``SecretRoles/normalized(_:)`` has it.
    static func contain(_ key: String) -> Bool { names.contains(key) }

    private static let names = Set(
        [
            "traceid", "spanid", "parentspanid", "traceparent", "correlationid", "clientrequestid",
            "fbtraceid",
            "xrequestid", "xcorrelationid", "xtraceid", "xfbtraceid", "cfray", "xamznrequestid",
            "xamzrequestid",
            "xamzncorrelationid", "xamzntraceid", "xamzcfid", "xamzid2", "xamzapigwid", "xmsrequestid",
            "xmsclientrequestid", "xmscorrelationrequestid", "xazureref", "xcloudtracecontext", "xb3traceid",
            "xb3spanid", "xb3parentspanid", "xoktarequestid", "xgithubrequestid", "xvercelid", "flyrequestid",
            "xkongrequestid", "ubertraceid", "sentrytrace", "xdatadogtraceid",
        ]
    )
}
