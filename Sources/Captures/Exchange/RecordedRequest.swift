package import JSON

/// The request of an exchange.
///
/// Copies share their members until one of them is changed.
package struct RecordedRequest: Sendable {
    private struct Members: Sendable {
        var method: String
        var url: RecordedURL
        var isURLLatin1 = false
        var httpVersion: String
        var headers: HeaderFields
        var listedCookies: [HeaderFields.Field]
        var body: Body?
        var trailers: HeaderFields
        var foreign: JSONObject
    }

    @Shared private var members: Members

    package init(
        method: String,
        url: RecordedURL,
        httpVersion: String = "HTTP/1.1",
        headers: HeaderFields = HeaderFields(),
        listedCookies: [HeaderFields.Field] = [],
        body: Body? = nil,
        trailers: HeaderFields = HeaderFields(),
        foreign: JSONObject = JSONObject()
    ) {
        members = Members(
            method: method,
            url: url,
            httpVersion: httpVersion,
            headers: headers,
            listedCookies: listedCookies,
            body: body,
            trailers: trailers,
            foreign: foreign
        )
    }

    package var method: String {
        _read { yield members.method }
        _modify { yield &members.method }
    }

    /// The absolute URL, as it was sent (nothing normalised).
    package var url: RecordedURL {
        _read { yield members.url }
        _modify { yield &members.url }
    }

    /// The bytes of the URL are no UTF-8: each character of it is one of them (see ``Latin1``).
    package var isURLLatin1: Bool {
        _read { yield members.isURLLatin1 }
        _modify { yield &members.isURLLatin1 }
    }

    /// `HTTP/1.1`, `HTTP/2`, … as the producer writes it; empty where unknown.
    package var httpVersion: String {
        _read { yield members.httpVersion }
        _modify { yield &members.httpVersion }
    }

    package var headers: HeaderFields {
        _read { yield members.headers }
        _modify { yield &members.headers }
    }

    /// Cookies of the HAR's `cookies` array, used only where no `Cookie` header names one (see ``cookies``).
    package var listedCookies: [HeaderFields.Field] {
        _read { yield members.listedCookies }
        _modify { yield &members.listedCookies }
    }

    package var body: Body? {
        _read { yield members.body }
        _modify { yield &members.body }
    }

    /// Fields after a chunked body (RFC 9112, section 7.1.2).
    package var trailers: HeaderFields {
        _read { yield members.trailers }
        _modify { yield &members.trailers }
    }

    /// The members of `request` that nothing above holds.
    package var foreign: JSONObject {
        _read { yield members.foreign }
        _modify { yield &members.foreign }
    }
}

extension RecordedRequest {
    /// The path as a server is asked for it: `*` where `OPTIONS` is about the server itself, whose URL has no path (RFC 9112,
    /// sections 3.2.4 and 3.3), and `/` for the other methods there.
    package var targetPath: String {
        guard url.path.isEmpty else { return url.path }
        return method == "OPTIONS" && url.query == nil ? "*" : "/"
    }

    /// `GET https://api.example/me`: what requests have in common that ask the same of one place, whatever their query.
    package var methodAndURL: String { "\(method) \(url.withoutQuery)" }

    /// What its sender calls itself, the first of the fields; nil where it has none.
    package var userAgent: String? { headers.first("user-agent") }

    /// Whether a browser asks ahead, for what its user may want next: it says so itself.
    package var isPrefetch: Bool {
        ["sec-purpose", "purpose", "x-moz"].contains { name in
            headers.first(name)?.asciiLowercased().containsBytes("prefetch") ?? false
        }
    }

    /// Whether there was a body of which the capture holds nothing: some exports leave bodies out, or the text of them, and keep
    /// their size.
    package var isBodyUnsaved: Bool {
        let isSaid = (headers.first("content-length") ?? "0") != "0" || foreign["bodySize"]?.int ?? 0 > 0
        guard let body else { return isSaid }
        switch body.content {
        case .missing: return true
        case .parameters: return false
        case .bytes, .spooled, .deferred: return !body.hasBytes && (isSaid || body.wireSize ?? 0 > 0)
        }
    }
}
