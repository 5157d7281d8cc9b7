import JSON

/// What Safari's Web Inspector makes of a request that was redirected: one entry, made of its first and its last hop.
///
/// URL, headers and answer are those of the last, while the body is still that of the first, and mostly the method, too. A
/// password that was posted to the sign-in page so stands beside the callback that the page redirected to.
enum SafariExport {
    /// Under which a request keeps the `postData` that was sent before it was redirected.
    static let earlierBody = "_postDataBeforeRedirect"

    /// `log.creator.name` of such a file.
    private static let creator = "WebKit Web Inspector"

    /// Redirects whose place `Location` tells (RFC 9110, section 15.4).
    private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    /// The request of the last hop, without the body of the first; nil where an entry is none of Safari's or has nothing of two
    /// hops: nearly always.
    static func lastHop(of entry: JSONObject) -> JSONObject? {
        // Only WebKit says where its answers came from.
        guard entry["_fetchType"]?.string != nil, case .object(var request)? = entry["request"],
            let data = request["postData"], data != .null, isWithoutBody(request)
        else { return nil }
        request["postData"] = nil
        request[earlierBody] = data
        // What keeps the method over a redirect keeps the body as well (RFC 9110, section 15.4).
        request["method"] = "GET"
        return request
    }

    /// Whether its last hop was sent without the body: the fields that tell of one are not among its headers.
    ///
    /// Where Safari did not see the headers, an authorization response in the query tells it, which a form does not have
    /// besides.
    private static func isWithoutBody(_ request: JSONObject) -> Bool {
        let fields = HeaderFields(Producers.fields(request["headers"]))
        guard fields.fields.isEmpty else {
            return !["Content-Type", "Content-Length", "Transfer-Encoding"].contains(where: fields.contains)
        }
        guard let query = RecordedURL(Producers.url(of: request)).query else { return false }
        let items = QueryItems(query)
        return items.contains("state") && (items.contains("code") || items.contains("error"))
    }

    /// That redirects are missing; nil where they are there, or somebody else recorded.
    static func loss(in capture: Capture) -> Capture.Loss? {
        guard capture.count > 0, capture.recorders.contains(where: { $0.name == creator }),
            !capture.indices.contains(where: {
                capture[$0].response.map { redirects.contains($0.status) } ?? false
            })
        else { return nil }
        let what =
            "Safari leaves redirects out of what it exports, so codes, errors and cookies that only they carried are not here;"
            + " record with authreel record --browser URL, or export from Chrome or Firefox"
        return Capture.Loss(offset: 0, line: 1, what: what)
    }
}
