import Captures
import JOSE
import JSON
import OAuth

/// A flow while it is put together.
final class FlowBuilder {
    var exchanges: Set<Int> = []
    /// Messages by the exchange they are told at; a response and a request may share one.
    var messages: [OAuthMessage] = []
    var requests: [AuthorizationRequest] = []
    var responses: [AuthorizationResponse] = []
    var grant: String
    var clientID: String?
    /// Hosts of the provider: where its endpoints are, and where redirects among its pages lead.
    var providerHosts: Set<String> = []
    /// Hosts of redirect URIs.
    var clientHosts: Set<String> = []
    /// Values of its URLs and forms that are long enough to tell its pages from another flow's.
    var pageValues: Set<String> = []
    var interactions: Set<Int> = []
    let startedAt: Timestamp
    /// Number of the flow in order of creation.
    let number: Int

    init(grant: String, startedAt: Timestamp, number: Int) {
        self.grant = grant
        self.startedAt = startedAt
        self.number = number
    }

    /// Whether an answer of the provider is still awaited.
    var isOpen: Bool { requests.count > responses.count }

    /// Whether one of its ID tokens names a session of the provider (OpenID Connect Front-Channel Logout, section 3).
    func hasSession(_ name: String?) -> Bool {
        guard let name else { return false }
        return messages.contains { message in
            guard case .token(let request) = message else { return false }
            return request.idToken?.token.claim("sid")?.string == name
        }
    }

    func add(_ message: OAuthMessage, host: String?) {
        messages.append(message)
        exchanges.insert(message.exchange)
        if let host { providerHosts.insert(host) }
    }

    /// Remembers what the pages of an exchange carry on to the next.
    func learn(_ exchange: Exchange) {
        func take(_ items: QueryItems) {
            for item in items.items where item.value.utf8.count >= 12 { pageValues.insert(item.value) }
        }
        take(exchange.request.url.queryItems)
        if let form = FormBody.items(of: exchange.request.body) { take(form) }
        if let location = exchange.response?.location { take(RecordedURL(location).queryItems) }
        guard let body = exchange.response?.body, body.essence == "text/html", (body.size ?? 0) < 1 << 20,
            let html = body.text
        else { return }
        for form in HTMLForm.all(in: html) {
            take(RecordedURL(form.action).queryItems)
            for field in form.fields where field.value.utf8.count >= 12 { pageValues.insert(field.value) }
        }
    }

    /// How much an exchange has in common with the pages of this flow.
    func kinship(_ exchange: Exchange) -> Int {
        let items =
            exchange.request.url.queryItems.items + (FormBody.items(of: exchange.request.body)?.items ?? [])
        return Set(items.map(\.value)).intersection(pageValues).count
    }
}
