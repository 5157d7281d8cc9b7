import Captures
import JOSE
import OAuth

/// A resource that wants a stronger or fresher login (RFC 9470), or more of its user's consent (RFC 6750, section 3.1).
extension CaptureIndex {
    /// Whether an answer asks for another login, and the client set out for one as it was told: no token was
    /// refused there.
    package func isSteppedUp(after exchange: Int, by client: String?) -> Bool {
        guard let response = capture[exchange].response, [401, 403].contains(response.status),
            let challenge = AuthenticationChallenge.all(in: response.headers).first(where: {
                ["insufficient_user_authentication", "insufficient_scope"].contains($0["error"])
            })
        else { return false }
        if challenge["error"] == "insufficient_scope" {
            let wanted = Set((challenge["scope"] ?? "").split(separator: " "))
            return !wanted.isEmpty
                && authorizationRequests(after: capture[exchange].startedAt, within: .seconds(3600)).contains
                {
                    request in
                    (client == nil || request.clientID == client)
                        && wanted.isSubset(of: (request.parameters["scope"] ?? "").split(separator: " "))
                }
        }
        if isLetInAfterAnotherLogin(exchange, client) { return true }
        let wanted = Set((challenge["acr_values"] ?? "").split(separator: " "))
        let isAgeLimited = challenge["max_age"] != nil
        return authorizationRequests(after: capture[exchange].startedAt, within: .seconds(3600)).contains {
            request in
            guard client == nil || request.clientID == client else { return false }
            let asked = Set((request.parameters["acr_values"] ?? "").split(separator: " "))
            let hasAge = request.parameters["max_age"] != nil
            guard !wanted.isEmpty || isAgeLimited else { return !asked.isEmpty || hasAge }
            return (wanted.isEmpty || !wanted.isDisjoint(with: asked)) && (!isAgeLimited || hasAge)
        }
    }

    /// What the back end sees of it alone: another code for the same user, and the same resource open.
    private func isLetInAfterAnotherLogin(_ exchange: Int, _ client: String?) -> Bool {
        let url = capture[exchange].request.url.withoutQuery
        let shown = capture[exchange].request.headers.first("authorization") ?? ""
        guard let first = tokenRequests.last(where: { $0.accessToken.map(shown.hasSuffix) ?? false }),
            let user = first.idToken?.token.subject,
            let login = tokenRequests.first(where: { request in
                request.isCodeExchange && request.idToken?.token.subject == user
                    && position[request.exchange] > position[exchange]
                    && (client == nil || request.clientID == client)
            })
        else { return false }
        return order[position[login.exchange]...].contains { index in
            capture[index].request.url.withoutQuery == url
                && capture[index].response.map { $0.status < 300 } ?? false
        }
    }
}
