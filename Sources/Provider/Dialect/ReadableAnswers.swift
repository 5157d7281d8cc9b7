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
    /// Where pages were let send their cookies and read what came, as played.
    private var credentialed: Set<String> = []
    /// The header fields that pages could read besides the usual ones, by where.
    private var exposed: [String: String] = [:]

    init() {}

    /// Notes an answer, unless nobody asked for another origin.
    mutating func note(_ exchange: Exchange, at path: String) {
        guard let response = exchange.response else { return }
        if response.headers.first("access-control-allow-credentials") == "true" { credentialed.insert(path) }
        if let names = response.headers.first("access-control-expose-headers") { exposed[path] = names }
        guard exchange.request.method != "OPTIONS" else { return }
        let origin = response.headers.first("access-control-allow-origin")
        guard origin != nil || exchange.request.headers.contains("origin") else { return }
        let kind = Kind(path: path, isRefusal: response.status >= 400)
        if let known = seen[kind], known != nil { return }
        seen[kind] = .some(origin)
    }

    /// What else an answer says to a page that may read it, and to its preflight, as those of its endpoint did.
    ///
    /// `reader`: the page's origin, or `*`, with which no cookies go.
    func permissions(at path: String, for reader: String, isPreflight: Bool) -> [(
        name: String, value: String
    )] {
        var fields: [(name: String, value: String)] = []
        if reader != "*", credentialed.contains(path) {
            fields.append(("Access-Control-Allow-Credentials", "true"))
        }
        if !isPreflight, let names = exposed[path] {
            fields.append(("Access-Control-Expose-Headers", names))
        }
        return fields
    }

    /// Whom an answer may be read by: an origin or `*`; nil for nobody.
    func reader(at path: String, status: Int) -> String? {
        let isRefusal = status >= 400
        return (seen[Kind(path: path, isRefusal: isRefusal)] ?? seen[Kind(path: path, isRefusal: !isRefusal)])
            ?? nil
    }
}
