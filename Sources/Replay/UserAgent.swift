package import Captures

/// What a person does with a browser, without one: opens pages, follows redirects with cookies, fills in
/// forms.
package actor UserAgent {
    /// Sends one request; the only thing here that goes out.
    package typealias Send = @Sendable (RecordedRequest) async throws -> RecordedResponse

    /// Where a walk ended.
    package struct Page: Sendable {
        package var url: RecordedURL
        package var response: RecordedResponse
    }

    /// Why a walk ended without a page.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case tooManyRedirects(String)
        case noForm(String)

        package var description: String {
            switch self {
            case .tooManyRedirects(let url): "more than 20 redirects, the last to \(url)"
            case .noForm(let url): "the page \(url) has no form to fill in"
            }
        }
    }

    private let name: String
    private let send: Send
    private let clock: @Sendable () -> Timestamp
    private var jar = CookieJar()

    /// `name`: the `User-Agent`.
    package init(name: String, clock: @escaping @Sendable () -> Timestamp, send: @escaping Send) {
        self.name = name
        self.send = send
        self.clock = clock
    }

    /// Opens a URL and follows its redirects up to a page, or to an address that is none of the web (an app's
    /// own scheme).
    package func open(_ url: RecordedURL) async throws -> Page {
        try await walk(RecordedRequest(method: "GET", url: url))
    }

    /// Fills in the first form of a page and submits it.
    ///
    /// `values`: replace the fields' own values by name.
    package func submit(_ page: Page, filling values: [String: String]) async throws -> Page {
        guard let form = HTMLForm.all(in: page.response.body?.bytes ?? []).first else {
            throw Failure.noForm(page.url.text)
        }
        var items = form.fields.map { ($0.name, values[$0.name] ?? $0.value) }
        // One button only is pressed: the first, unless a value names another.
        var hasButton = false
        items = zip(form.fields, items).filter { field, item in
            guard field.type == "submit" else { return true }
            defer { hasButton = hasButton || values[field.name].map { $0 == field.value } ?? true }
            return !hasButton && values[field.name].map { $0 == field.value } ?? true
        }.map(\.1)
        let base = form.action.isEmpty ? nil : HTMLForm.base(in: page.response.body?.bytes ?? [])
        let target = (base.map(page.url.resolving) ?? page.url).resolving(form.action)
        guard form.method == "post" else {
            return try await walk(
                RecordedRequest(
                    method: "GET",
                    url: RecordedURL(target.withoutQuery + "?" + FormBody.encode(items))
                )
            )
        }
        var request = RecordedRequest(
            method: "POST",
            url: target,
            body: Body(text: FormBody.encode(items), mediaType: FormBody.mediaType)
        )
        request.headers.append("Content-Type", FormBody.mediaType)
        return try await walk(request)
    }

    private func walk(_ first: RecordedRequest) async throws -> Page {
        var request = first
        for _ in 0..<20 {
            let response = try await exchange(request)
            guard (300..<400).contains(response.status), let location = response.sentLocation else {
                return Page(url: request.url, response: response)
            }
            let (target, isLatin1) = request.following(location)
            guard target.isWeb else { return Page(url: target, response: response) }
            // Of the redirects only these two keep method and body (RFC 9110, sections 15.4.8 and 15.4.9).
            let keepsMethod = response.status == 307 || response.status == 308
            let headers = HeaderFields(first.headers.fields.filter { $0.name == "Content-Type" })
            request =
                keepsMethod
                ? RecordedRequest(method: request.method, url: target, headers: headers, body: request.body)
                : RecordedRequest(method: "GET", url: target)
            request.isURLLatin1 = isLatin1
        }
        throw Failure.tooManyRedirects(request.url.text)
    }

    private func exchange(_ request: RecordedRequest) async throws -> RecordedResponse {
        var request = request
        request.headers.fields.insert(HeaderFields.Field(name: "User-Agent", value: name), at: 0)
        request.headers.append("Accept", "text/html,application/xhtml+xml")
        if let cookies = jar.header(for: request.url, at: clock()) {
            request.headers.fields.append(cookies)
        }
        let response = try await send(request)
        jar.store(response, from: request.url, at: clock())
        return response
    }
}
