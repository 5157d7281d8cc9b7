package import Captures

/// Builds captures in memory, an exchange a second on a fixed clock.
package struct CaptureBuilder {
    package private(set) var exchanges: [Exchange] = []
    private var now = Timestamp(seconds: 1_780_000_000)
    /// Seconds between the starts of two exchanges.
    package var step: Int64 = 1

    package init() {}

    package var capture: Capture { Capture(exchanges) }

    /// Lets time pass before the next exchange.
    package mutating func wait(_ seconds: Int64) { now = now + .seconds(seconds) }

    /// A GET; returns the index of the exchange.
    @discardableResult
    package mutating func get(
        _ url: String,
        _ status: Int = 200,
        headers: [(String, String)] = [],
        answer: [(String, String)] = [],
        body: Body? = nil
    ) -> Int {
        add(
            RecordedRequest(method: "GET", url: RecordedURL(url), headers: HeaderFields(headers)),
            status,
            answer,
            body
        )
    }

    /// A POST of a form; returns the index of the exchange.
    @discardableResult
    package mutating func post(
        _ url: String,
        _ form: [(String, String)],
        _ status: Int = 200,
        headers: [(String, String)] = [],
        answer: [(String, String)] = [],
        body: Body? = nil
    ) -> Int {
        let sent = Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        return add(
            RecordedRequest(
                method: "POST",
                url: RecordedURL(url),
                headers: HeaderFields(headers),
                body: sent
            ),
            status,
            answer,
            body
        )
    }

    /// A POST of JSON; returns the index of the exchange.
    @discardableResult
    package mutating func post(
        _ url: String,
        json: String,
        _ status: Int = 200,
        headers: [(String, String)] = [],
        answer: [(String, String)] = [],
        body: Body? = nil
    ) -> Int {
        add(
            RecordedRequest(
                method: "POST",
                url: RecordedURL(url),
                headers: HeaderFields(headers),
                body: .json(json)
            ),
            status,
            answer,
            body
        )
    }

    /// A redirect to a place; returns the index of the exchange.
    @discardableResult
    package mutating func redirect(_ url: String, to location: String, headers: [(String, String)] = [])
        -> Int
    {
        get(url, 302, headers: headers, answer: [("Location", location)])
    }

    /// An exchange as it is; its time is set.
    @discardableResult
    package mutating func add(_ exchange: Exchange) -> Int {
        var exchange = exchange
        exchange.startedAt = now
        exchanges.append(exchange)
        now = now + .seconds(step)
        return exchanges.count - 1
    }

    private mutating func add(
        _ request: RecordedRequest,
        _ status: Int,
        _ answer: [(String, String)],
        _ body: Body?
    ) -> Int {
        var fields = HeaderFields(answer)
        if let type = body?.mediaType { fields.append("Content-Type", type) }
        let response = status == 0 ? nil : RecordedResponse(status: status, headers: fields, body: body)
        return add(
            Exchange(startedAt: now, duration: .milliseconds(20), request: request, response: response)
        )
    }
}

extension CaptureBuilder {
    /// A login that begins at the app of this origin, is granted by `https://idp.example` without a page, and ends at a page of the
    /// app's.
    package static func loginBegun(at app: String) -> Capture {
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app + "/cb"),
            ("state", "state-0123456789"),
        ])
        let response = app + "/cb?code=code-0123456789&state=state-0123456789"
        var builder = CaptureBuilder()
        builder.redirect(app + "/login", to: "https://idp.example/auth?" + query)
        builder.redirect("https://idp.example/auth?" + query, to: response)
        builder.get(response, body: .html("Welcome"))
        return builder.capture
    }
}

extension Body {
    /// A JSON answer.
    package static func json(_ text: String) -> Body { Body(text: text, mediaType: "application/json") }

    /// A page.
    package static func html(_ text: String) -> Body {
        Body(text: text, mediaType: "text/html; charset=utf-8")
    }
}
