import Captures

/// What a browser says of the page that a form was sent from: providers that guard their forms against other sites' look at
/// it, and refuse a form without (Django's and Flask's by https).
struct FormSender {
    /// What the page was the answer to.
    let page: RecordedRequest
    let target: RecordedURL
    let isPost: Bool

    /// The fields that name the page.
    ///
    /// - Parameters:
    ///   - recorded: the request of the recording; nil for a form that it has not.
    ///   - isTelling: whether the recorded browser says such things at all.
    /// - Returns: `Referer` (Referrer Policy, section 3.9, `strict-origin-when-cross-origin`) and `Origin` (RFC 6454, section 7),
    ///   each where the recorded request has it.
    func fields(like recorded: RecordedRequest?, isTelling: Bool) -> [HeaderFields.Field] {
        let isLatin1 = page.isURLLatin1
        let page = page.url
        guard page.isWeb, let scheme = page.scheme, let place = page.hostAndPort else { return [] }
        // As browsers write it, without the port that goes without saying.
        let origin = "\(scheme)://\(place)"
        let old = (
            referer: recorded.map { $0.headers.first("referer") } ?? (isTelling ? "" : nil),
            origin: recorded.map { $0.headers.first("origin") } ?? (isTelling && isPost ? "" : nil)
        )
        var fields: [HeaderFields.Field] = []
        if let referer = old.referer, Self.isTrustworthy(target) || !Self.isTrustworthy(page) {
            let isWhole = page.origin == target.origin && !Self.isOriginAlone(referer)
            let whole = page.withoutQuery + (page.query.map { "?\($0)" } ?? "")
            let sent = SentText(isWhole ? whole : origin + "/", isLatin1: isLatin1)
            fields.append(HeaderFields.Field(name: SentText("Referer"), value: sent))
        }
        if let value = old.origin {
            fields.append(HeaderFields.Field(name: "Origin", value: value == "null" ? value : origin))
        }
        return fields
    }

    /// Secure Contexts, section 3.1: also this machine in clear.
    private static func isTrustworthy(_ url: RecordedURL) -> Bool {
        url.scheme?.lowercased() == "https" || url.isOnLoopback
    }

    /// Whether the recorded page's policy was to say no more.
    private static func isOriginAlone(_ referer: String) -> Bool {
        guard !referer.isEmpty else { return false }
        let url = RecordedURL(referer)
        return url.query == nil && ["", "/"].contains(url.path)
    }
}
