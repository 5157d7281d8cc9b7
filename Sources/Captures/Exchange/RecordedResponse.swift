package import JSON

/// The answer of an exchange.
///
/// Copies share their members until one of them is changed.
package struct RecordedResponse: Sendable {
    private struct Members: Sendable {
        var status: Int
        var statusText: String
        var httpVersion: String
        var headers: HeaderFields
        var listedCookies: [SetCookie]
        var body: Body?
        var redirectURL: String
        var trailers: HeaderFields
        var foreign: JSONObject
    }

    @Shared private var members: Members

    package init(
        status: Int,
        statusText: String = "",
        httpVersion: String = "HTTP/1.1",
        headers: HeaderFields = HeaderFields(),
        listedCookies: [SetCookie] = [],
        body: Body? = nil,
        redirectURL: String = "",
        trailers: HeaderFields = HeaderFields(),
        foreign: JSONObject = JSONObject()
    ) {
        members = Members(
            status: status,
            statusText: statusText,
            httpVersion: httpVersion,
            headers: headers,
            listedCookies: listedCookies,
            body: body,
            redirectURL: redirectURL,
            trailers: trailers,
            foreign: foreign
        )
    }

    /// Three digits, as sent; of a file 100...999, though HTTP has none above 599 (RFC 9110, section 15).
    package var status: Int {
        _read { yield members.status }
        _modify { yield &members.status }
    }

    package var statusText: String {
        _read { yield members.statusText }
        _modify { yield &members.statusText }
    }

    package var httpVersion: String {
        _read { yield members.httpVersion }
        _modify { yield &members.httpVersion }
    }

    package var headers: HeaderFields {
        _read { yield members.headers }
        _modify { yield &members.headers }
    }

    /// Cookies of the HAR's `cookies` array, used only where the `Set-Cookie` headers are not all of them (see ``setCookies``).
    package var listedCookies: [SetCookie] {
        _read { yield members.listedCookies }
        _modify { yield &members.listedCookies }
    }

    package var body: Body? {
        _read { yield members.body }
        _modify { yield &members.body }
    }

    /// `redirectURL` of the HAR, used where there is no `Location` header; empty otherwise.
    package var redirectURL: String {
        _read { yield members.redirectURL }
        _modify { yield &members.redirectURL }
    }

    /// Fields after a chunked body (RFC 9112, section 7.1.2).
    package var trailers: HeaderFields {
        _read { yield members.trailers }
        _modify { yield &members.trailers }
    }

    /// The members of `response` that nothing above holds.
    package var foreign: JSONObject {
        _read { yield members.foreign }
        _modify { yield &members.foreign }
    }

    /// A status of the 200s (RFC 9110, section 15.3).
    package var isSuccessful: Bool { (200..<300).contains(status) }

    /// A status of the 300s, whether or not it says where to (RFC 9110, section 15.4).
    package var isRedirection: Bool { (300..<400).contains(status) }

    /// A status of the 400s (RFC 9110, section 15.5).
    package var isClientError: Bool { (400..<500).contains(status) }

    /// The target of a redirect as it was written: the `Location` header, else `redirectURL`; nil where
    /// neither has text.
    package var location: String? {
        if let location = headers.first("location"), !location.isEmpty { return location }
        return redirectURL.isEmpty ? nil : redirectURL
    }

    /// The same by its bytes.
    package var sentLocation: SentText? {
        let field = headers.fields.first { $0.name.equalsIgnoringASCIICase("location") }
        if let field, !field.value.isEmpty { return field.sentValue }
        return redirectURL.isEmpty ? nil : SentText(redirectURL)
    }
}
