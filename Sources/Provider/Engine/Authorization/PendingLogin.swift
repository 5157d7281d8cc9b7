import JSON

/// An authorization request that waits for the user.
struct PendingLogin: Sendable {
    var clientID: String
    /// The authorization endpoint that it came to, as it is played, with its own query.
    var endpoint: String?
    var redirectURI: String
    var responseType: String
    var scope: String
    var state: String?
    var nonce: String?
    var challenge: String?
    /// Nil where the request names none.
    var challengeMethod: String?
    /// As asked for; nil where the request names none.
    var responseMode: String?
    var prompt: [String]
    var maxAge: Int64?
    /// Nil where the request names none, or none that can be read.
    var claims: ClaimsRequest?
    var resource: String?
    var acrValues: String?
    var boundKey: String?
    /// The name of the pushed request; nil where nothing was pushed.
    var requestURI: String?
    /// Of the request, with what was pushed or signed.
    var parameters: RequestParameters

    var asksForNoneAndMore: Bool { Self.isNoneAndMore(prompt) }

    /// Whether a `prompt` says that nobody is to be asked, and something else.
    static func isNoneAndMore(_ prompt: [String]) -> Bool {
        prompt.contains("none") && prompt.contains { $0 != "none" }
    }

    /// What the tokens are asked for, which may be several (RFC 8707, section 2); in a request object that is a list.
    var resources: [String] {
        parameters.items.lazy.filter { $0.name == "resource" && !$0.value.isEmpty }.flatMap { item in
            let list = item.value.hasPrefix("[") ? try? JSONParser.parse(Array(item.value.utf8)) : nil
            return list?.array?.compactMap(\.string) ?? [item.value]
        }
    }

    /// Whether another request is this one again: a reload, or the provider's own way back to it.
    func isSame(as other: PendingLogin) -> Bool {
        (clientID, redirectURI, state, nonce, challenge) == (
            other.clientID, other.redirectURI, other.state, other.nonce, other.challenge
        )
    }

    /// Whether a form that is posted to where the request went is of a page of this login: it may leave out what the request
    /// had for the tokens.
    func isContinued(by form: PendingLogin) -> Bool {
        (clientID, redirectURI, state) == (form.clientID, form.redirectURI, form.state) && state != nil
            && (form.nonce == nil || form.nonce == nonce)
            && (form.challenge == nil || form.challenge == challenge)
    }
}
