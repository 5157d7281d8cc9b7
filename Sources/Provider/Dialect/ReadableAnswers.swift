import Captures

/// Which answers of an endpoint pages of other origins may read (Fetch standard, CORS protocol).
///
/// Answers differ as recorded: where refusals were seen without the header and successes with it, that is the provider's
/// way; a kind of answer that nobody saw has what the other has.
struct ReadableAnswers: Sendable {
    private struct Kind: Hashable, Sendable {
        /// As played.
        var path: String
        var isRefusal: Bool
    }

    /// The value of `Access-Control-Allow-Origin`; nil where answers to pages went without.
    private var seen: [Kind: String?] = [:]

    init() {}

    /// Notes an answer, unless nobody asked for another origin.
    mutating func note(_ exchange: Exchange, at path: String) {
        guard let response = exchange.response, exchange.request.method != "OPTIONS" else { return }
        let origin = response.headers.first("access-control-allow-origin")
        guard origin != nil || exchange.request.headers.contains("origin") else { return }
        let kind = Kind(path: path, isRefusal: response.status >= 400)
        if let known = seen[kind], known != nil { return }
        seen[kind] = .some(origin)
    }

    /// Whom an answer may be read by: an origin or `*`; nil for nobody.
    func reader(at path: String, status: Int) -> String? {
        let isRefusal = status >= 400
        return (seen[Kind(path: path, isRefusal: isRefusal)] ?? seen[Kind(path: path, isRefusal: !isRefusal)])
            ?? nil
    }
}
