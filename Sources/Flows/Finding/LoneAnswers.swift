import Captures
import JOSE
import OAuth

/// Authorization responses of logins that began before the recording: nothing in the capture says where an answer is awaited.
///
/// Known by themselves alone, they have to look like a response in more than one way: other pages have a `code`, an `error`
/// or a `state` as well.
enum LoneAnswers {
    /// Where they come in, without their queries.
    ///
    /// What an app's page hands on to its server has the same values at another address: the first counts.
    static func targets(in capture: Capture, order: [Int]) -> [String] {
        var targets: [String] = []
        var seen: Set<String> = []
        // Where logouts were sent.
        var ended: Set<String> = []
        func note(_ url: RecordedURL, _ items: QueryItems) {
            guard let value = identity(of: items), seen.insert(value).inserted else { return }
            targets.append(url.withoutQuery)
        }
        for index in order where !Asset.isAsset(capture[index]) {
            let exchange = capture[index]
            let url = exchange.request.url
            switch exchange.request.method {
            case "GET" where ended.contains(url.text): break
            case "GET": note(url, url.queryItems)
            case "POST": if let form = FormBody.items(of: exchange.request.body) { note(url, form) }
            default: continue
            }
            guard let location = exchange.response?.location else { continue }
            let target = url.resolving(location)
            if ended.contains(url.text) || isLogout(exchange.request) {
                ended.insert(target.text)
                continue
            }
            note(target, target.queryItems)
            note(target, target.fragmentItems)
        }
        return targets
    }

    /// Where wallets posted that they bring nothing, to logins of which the capture has no request: what they were asked for is in an
    /// object that they fetch.
    ///
    /// `states`: those of the requests in the capture, whose answers are found otherwise.
    static func walletTargets(in capture: Capture, order: [Int], besides states: Set<String>) -> [String] {
        order.compactMap { index in
            guard let form = postedByWallet(capture[index]), form.first("error") != nil,
                identity(of: form) != nil, let state = form.first("state"), !states.contains(state)
            else { return nil }
            return capture[index].request.url.withoutQuery
        }
    }

    /// The form of a POST that no browser brings: its answer is JSON, or nothing (OpenID4VP, section 8.2, `direct_post`).
    static func postedByWallet(_ exchange: Exchange) -> QueryItems? {
        guard exchange.request.method == "POST", exchange.request.headers.first("cookie") == nil,
            let response = exchange.response, response.isSuccessful,
            response.body.map({ ($0.size ?? 0) == 0 || $0.essence == "application/json" }) ?? true
        else { return nil }
        return FormBody.items(of: exchange.request.body)
    }

    /// Whether a request asks a provider to end a session: what that is answered with is no answer to a login.
    private static func isLogout(_ request: RecordedRequest) -> Bool {
        let form = request.method == "POST" ? FormBody.items(of: request.body) : nil
        return ["post_logout_redirect_uri", "id_token_hint"].contains { name in
            [request.url.queryItems, form].contains { $0?.first(name) != nil }
        } && request.url.queryItems.first("response_type") == nil
    }

    /// What tells a response from another one; nil where it is none without doubt.
    private static func identity(of items: QueryItems) -> String? {
        guard !ofRequests.contains(where: { items.first($0) != nil }) else { return nil }
        func has(_ names: [String]) -> Bool { names.contains { !(items.first($0) ?? "").isEmpty } }
        if let code = items.first("code"), code.utf8.count >= shortestCode {
            return has(["state", "iss", "session_state"]) ? code : nil
        }
        if let error = items.first("error"), AuthorizationErrors.names.contains(error) {
            return has(["state", "iss", "error_description", "error_uri"])
                ? "\(error)\0\(items.first("state") ?? "")" : nil
        }
        return ["response", "id_token"].lazy.compactMap(items.first).first { JSONWebToken.parse($0) != nil }
    }

    /// Of what is sent to the provider: its pages may have the names of its answers, too.
    private static let ofRequests = [
        "client_id", "grant_type", "response_type", "code_verifier", "id_token_hint",
        "SAMLRequest", "SAMLResponse",
    ]
    /// In bytes; a country, a postal code or a voucher is shorter.
    static let shortestCode = 10
}
