import Captures
import JSON

extension ProviderState.AccessToken {
    /// What is told of a token that counts, where no recording shows it (RFC 7662, section 2.2).
    func introspection(by issuer: String) -> JSONObject {
        var answer: JSONObject = [
            "active": true, "client_id": .string(grant.clientID),
            "iss": .string(issuer),
            "iat": JSONValue(issuedAt.seconds),
            "exp": JSONValue(expiresAt.seconds),
            "token_type": grant.boundKey == nil ? "Bearer" : "DPoP",
        ]
        if !grant.scope.isEmpty { answer["scope"] = .string(grant.scope) }
        if let user = grant.user {
            answer["sub"] = .string(user.subject)
            answer["username"] = .string(user.name)
        }
        // RFC 8707, section 2; RFC 9449, section 6.2: what a resource has to compare.
        answer["aud"] = grant.resource.map { .string($0) }
        answer["cnf"] = grant.confirmation
        return answer
    }
}
