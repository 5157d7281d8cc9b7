package import Captures

/// A request to the token endpoint of GoTrue, the server of Supabase Auth, which has the grant in the query and the rest in an
/// object of JSON, some of it under names of its own.
///
/// `POST …/token?grant_type=pkce` with `auth_code` and `code_verifier`, and `?grant_type=refresh_token`. It has no clients, so
/// nobody authenticates; its further grants (`password`, `id_token`) are sign-ins without a login before them.
package enum GoTrueRequest {
    /// The parameters of a request under the names of RFC 6749.
    ///
    /// - Parameters:
    ///   - request: a POST to an address that ends as a token endpoint's.
    ///   - exchange: which.
    ///   - body: the members of its body.
    /// - Returns: each with the place it stands at; nil for a request to any other server.
    static func parameters(of request: RecordedRequest, _ exchange: Int, _ body: Parameters) -> Parameters? {
        let query = Parameters(request.url.queryItems, of: exchange, in: .requestQuery)
        guard var grant = query.parameter("grant_type"), !body.contains("grant_type") else { return nil }
        switch grant.value {
        case "pkce" where body.contains(code) || body.contains("code_verifier"):
            grant.value = "authorization_code"
        case "refresh_token" where body.contains("refresh_token"):
            guard isOne(request) else { return nil }
        default: return nil
        }
        let items = body.items.map { item in
            guard item.name == code else { return item }
            return Parameter(name: "code", value: item.value, rawValue: item.rawValue, place: item.place)
        }
        return Parameters([grant] + items)
    }

    /// Whether a request is one to its token endpoint: by what it alone has, a grant by its own name, and what stands in front of it.
    package static func isOne(_ request: RecordedRequest) -> Bool {
        guard let grant = request.url.queryItems.items.first(where: { $0.name == "grant_type" })?.value else {
            return false
        }
        return grant == "pkce" || request.url.path.hasSuffix("/auth/v1/token")
            || request.headers.contains("apikey")
    }

    /// Whether a code of its own is exchanged: it signs in at another provider, of which the app has nothing.
    package static func isExchange(_ request: TokenRequest) -> Bool {
        request.parameters.parameter("grant_type")?.rawValue == "pkce"
    }

    /// The challenge that the last login at the same server began with (`…/authorize?provider=`).
    package static func challenge(before request: TokenRequest, in capture: Capture) -> Parameter? {
        guard isExchange(request) else { return nil }
        let origin = request.endpoint.origin
        let index = capture.indices.last { index in
            let begun = capture[index]
            return begun.request.url.origin == origin && begun.startedAt <= request.startedAt
                && begun.request.url.path.hasSuffix("/authorize")
                && begun.request.url.queryItems.items.contains { $0.name == "code_challenge" }
        }
        return index.flatMap { index in
            Parameters(capture[index].request.url.queryItems, of: index, in: .requestQuery)
                .parameter("code_challenge")
        }
    }

    private static let code = "auth_code"
}
