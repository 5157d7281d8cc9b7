import Captures
import Flows
import OAuth

/// The session that a provider keeps of a user in the browser, as far as its cookies show it.
struct ProviderSession {
    /// The request of the login that made it.
    var request: AuthorizationRequest
    /// The exchange that delivered the provider's answer.
    var delivered: Int
    /// The cookie by which the provider knows the user again, as it was set after the sign-in.
    var cookie: CookieDelivery.Setting

    /// The names under which providers are known to keep it.
    static let names: Set<String> = [
        "KEYCLOAK_IDENTITY", "iPlanetDirectoryPro", "commonAuthId", "PF", "idx", "auth0",
    ]

    /// Whether a cookie is of what stands in front of the provider, or asks for consent to cookies.
    static func isOfTheWay(_ name: String) -> Bool {
        let name = name.lowercased()
        return ofTheWay.contains(where: name.hasPrefix) || name.containsBytes("consent")
    }

    private static let ofTheWay = [
        "awsalb", "awselb", "__cf", "cf_", "_ga", "_gid", "arraffinity", "bigip", "ts01", "incap_",
        "visid_incap",
        "nlbi_", "ak_bmsc", "bm_s", "_abck", "route", "serverid", "lb", "optanon",
    ]

    /// The sessions that logins at a host made before an exchange, latest first.
    ///
    /// `lasting`: also where a cookie that may be the one outlives the browser.
    static func all(at host: String, before exchange: Int, lasting: Bool = false, in flow: Flow)
        -> [ProviderSession]
    {
        let surroundings = flow.surroundings
        let end = surroundings.position[exchange]
        return surroundings.responses.reversed().lazy.filter { response in
            guard let delivered = response.deliveredBy, response.error == nil else { return false }
            return surroundings.position[delivered] < end && flow.capture[delivered].request.url.host == host
        }.prefix(8).compactMap { response in
            guard let delivered = response.deliveredBy,
                let request = request(of: response, delivered, host, flow),
                let cookie = cookie(from: request.exchange, to: delivered, host, lasting: lasting, flow)
            else { return nil }
            return ProviderSession(request: request, delivered: delivered, cookie: cookie)
        }
    }

    /// The first of its login: where the provider signs the user in on pages of its own, the same request comes again
    /// after that, and is the one that is answered.
    private static func request(
        of response: AuthorizationResponse,
        _ delivered: Int,
        _ host: String,
        _ flow: Flow
    ) -> AuthorizationRequest? {
        let surroundings = flow.surroundings
        let end = surroundings.position[delivered]
        let start = surroundings.responses.lazy.compactMap { other -> Int? in
            guard let at = other.deliveredBy, other.state == response.state,
                other.target.normalizedWithoutQuery == response.target.normalizedWithoutQuery
            else { return nil }
            return surroundings.position[at]
        }.filter { $0 < end }.max()
        let requests = surroundings.authorizationRequests.filter { request in
            let position = surroundings.position[request.exchange]
            guard position <= end, position > start ?? -1, request.endpoint.host == host else { return false }
            if let state = request.state { return state == response.state }
            return request.redirectURI.map {
                RecordedURL($0).normalizedWithoutQuery == response.target.normalizedWithoutQuery
            } ?? false
        }
        guard let answered = requests.last else { return nil }
        return requests.first {
            $0.clientID == answered.clientID && $0.parameters["nonce"] == answered.parameters["nonce"]
        }
    }

    /// What was set from the password on and not before; one of a known name before others.
    private static func cookie(
        from first: Int,
        to last: Int,
        _ host: String,
        lasting: Bool,
        _ flow: Flow
    ) -> CookieDelivery.Setting? {
        let positions = flow.surroundings.position
        var before: Set<String> = []
        var isSignedIn = false
        var found: [CookieDelivery.Setting] = []
        let meanwhile = flow.surroundings.withoutAssets(after: first).prefix(500)
            .prefix { positions[$0] <= positions[last] }
        for index in [first] + meanwhile
        where flow.capture[index].request.url.host == host {
            isSignedIn = isSignedIn || flow.isCredentialPost(index)
            let exchange = flow.capture[index]
            for cookie in exchange.response?.setCookies ?? []
            where !cookie.value.isEmpty && !cookie.isDeletion(at: exchange.endedAt) {
                guard isSignedIn else {
                    before.insert(cookie.name)
                    continue
                }
                found.append(
                    CookieDelivery.Setting(
                        cookie: cookie,
                        url: exchange.request.url,
                        at: exchange.endedAt,
                        exchange: index
                    )
                )
            }
        }
        if let known = found.first(where: { names.contains($0.cookie.name) }) { return known }
        let new = found.filter { !before.contains($0.cookie.name) && !Self.isOfTheWay($0.cookie.name) }
        // Of several any may be the one; a lasting one among them would do.
        let isLasting = new.contains { $0.cookie.maxAge != nil || $0.cookie.expires != nil }
        return isLasting && !lasting ? nil : new.first
    }

    /// Whether the cookie was deleted between its login and an exchange: the user signed out.
    func isEnded(before exchange: Int, in flow: Flow) -> Bool {
        let positions = flow.surroundings.position
        guard positions[delivered] < positions[exchange] else { return false }
        return flow.surroundings.order[positions[delivered]..<positions[exchange]].prefix(2000).contains {
            index in
            let other = flow.capture[index]
            guard other.request.url.host == cookie.url.host else { return false }
            if case .endSession = flow.surroundings.messages[index] { return true }
            return other.response?.setCookies.contains {
                $0.name == cookie.cookie.name && $0.isDeletion(at: other.endedAt)
            } ?? false
        }
    }
}
