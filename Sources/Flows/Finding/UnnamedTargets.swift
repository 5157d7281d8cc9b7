import Captures
import OAuth

/// Where the answers go to requests that do not show their redirect URI.
///
/// One alone is registered (RFC 6749, section 3.1.2.3), it was pushed, is in an object that nobody can read, or has a name of the
/// provider's in its place (eBay). Found by where the provider sends the browser with a code, or an error and the `state`, and by
/// where the browser comes with these to the app that had sent it there, which a script of the provider's may have brought about, or a
/// form. A request without `state` gets the code alone, which other pages have as well: a voucher, a country.
enum UnnamedTargets {
    static func targets(of requests: [AuthorizationRequest], in capture: Capture, order: [Int]) -> [String] {
        // Of one that only the app's redirect shows the exchange is the app's own.
        let unnamed = requests.filter { $0.redirectURI == nil && !$0.isUnseen }
        // Where the client names it elsewhere, it is known.
        let named = Set(requests.filter { $0.redirectURI != nil }.map(\.clientID))
        let isStateless = unnamed.contains { request in
            request.state == nil && !named.contains(request.clientID)
                && !["request_uri", "request"].contains { request.parameters.contains($0) }
        }
        let origins = Set(unnamed.compactMap { capture[$0.exchange].request.url.origin })
        guard !origins.isEmpty else { return [] }
        let addresses = Set(unnamed.map { capture[$0.exchange].request.url.text })
        var apps: Set<String> = []
        return order.compactMap { index in
            let exchange = capture[index]
            guard let origin = exchange.request.url.origin else { return nil }
            guard origins.contains(origin) else {
                let target = exchange.response?.location.map { exchange.request.url.resolving($0).text }
                if let target, addresses.contains(target) { apps.insert(origin) }
                guard apps.contains(origin) || isPosted(exchange.request, fromOneOf: origins),
                    isAnswered(by: exchange.request, at: origin, isStateless)
                else { return nil }
                return exchange.request.url.withoutQuery
            }
            guard let location = exchange.response?.location else { return nil }
            let url = exchange.request.url.resolving(location)
            return url.origin != origin && isAnswer(url, isStateless) ? url.withoutQuery : nil
        }
    }

    /// Whether a request brings an answer to the app: in its address, or in a form.
    ///
    /// A page of the provider's posts it (OAuth 2.0 Form Post Response Mode, section 2) and not one of the app's, which hands on
    /// what it got; what the page's scripts send leads nowhere.
    private static func isAnswered(
        by request: RecordedRequest,
        at origin: String,
        _ isStateless: Bool
    ) -> Bool {
        if request.method == "GET" {
            return isAnswer(request.url, isStateless && !isFromApp(request, origin))
        }
        guard request.method == "POST", !isFromApp(request, origin),
            request.headers.first("sec-fetch-mode").map({ $0 == "navigate" }) ?? true
        else { return false }
        return FormBody.items(of: request.body).map { isAnswer($0, isStateless) } ?? false
    }

    /// Whether a page of the app's own, or the user by hand, made the browser send a request to the app's origin.
    private static func isFromApp(_ request: RecordedRequest, _ origin: String) -> Bool {
        if let site = request.headers.first("sec-fetch-site") {
            return ["same-origin", "none"].contains(site)
        }
        return isSent(request, fromOneOf: [origin])
    }

    /// Whether a page of the provider's posted a form, to whoever had sent the browser there.
    private static func isPosted(_ request: RecordedRequest, fromOneOf origins: Set<String>) -> Bool {
        request.method == "POST" && isSent(request, fromOneOf: origins)
    }

    private static func isSent(_ request: RecordedRequest, fromOneOf origins: Set<String>) -> Bool {
        ["origin", "referer"].contains { name in
            request.headers.first(name).flatMap { RecordedURL($0).origin }.map(origins.contains) ?? false
        }
    }

    private static func isAnswer(_ url: RecordedURL, _ isStateless: Bool) -> Bool {
        [url.queryItems, url.fragmentItems].contains { isAnswer($0, isStateless) }
    }

    private static func isAnswer(_ items: QueryItems, _ isStateless: Bool) -> Bool {
        items.first("response") != nil
            || isStateless && (items.first("code") ?? "").utf8.count >= LoneAnswers.shortestCode
            || (items.first("code") ?? items.first("error")) != nil
                && (items.first("state") ?? items.first("iss")) != nil
    }
}
