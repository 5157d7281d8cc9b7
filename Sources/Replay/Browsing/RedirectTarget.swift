package import Captures

/// The address at which a browser hands a response to the app, and beyond which a replay does not go: a
/// `redirect_uri`, or a `post_logout_redirect_uri`.
///
/// Compared without query and fragment, as browsers spell addresses: a default port and an empty path are no
/// difference.
package struct RedirectTarget: Sendable, Hashable {
    private let text: String
    private let isWeb: Bool

    package init(_ redirectURI: String) {
        let url = RecordedURL(redirectURI)
        text = Self.spelled(url)
        isWeb = url.isWeb
    }

    /// Whether a URL is this address, whatever response it brings.
    package func matches(_ url: RecordedURL) -> Bool { Self.spelled(url) == text }

    /// What a request to it carries: query, fragment and, of a form that was posted, the fields
    /// (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1; Form Post Response Mode, section 2).
    ///
    /// - Returns: nil for a request to somebody else.
    package func response(in url: RecordedURL, form: QueryItems? = nil) -> QueryItems? {
        guard matches(url) else { return nil }
        return QueryItems(items: url.queryAndFragmentItems.items + (form?.items ?? []))
    }

    /// The pattern of the requests that are held, for `Fetch.enable`; nil where the app's scheme is its own, which
    /// a browser requests nothing of.
    package var pattern: String? {
        guard isWeb else { return nil }
        let escaped = text.map { "*?\\".contains($0) ? "\\\($0)" : String($0) }
        return escaped.joined() + "*"
    }

    private static func spelled(_ url: RecordedURL) -> String {
        guard let scheme = url.scheme?.lowercased(), let host = url.host, let port = url.port, url.isWeb
        else {
            guard let scheme = url.scheme else { return url.withoutQuery }
            return scheme.lowercased() + url.withoutQuery.dropFirst(scheme.count)
        }
        let isDefault = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)\(isDefault ? "" : ":\(port)")\(url.path.isEmpty ? "/" : url.path)"
    }
}
