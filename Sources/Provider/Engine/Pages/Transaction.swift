import Captures
import JSON
import OAuth

/// What one user goes through at the provider's pages: from a request to its answer.
struct Transaction: Sendable {
    /// What it was begun by, and is to end with.
    enum Purpose: Sendable {
        case login(PendingLogin)
        case logout(PendingLogout)
        /// A sign-in, or something else, that no client asked for.
        case visit
    }

    let id: String
    var purpose: Purpose
    /// Which recorded way through the pages it follows; nil for the built-in page.
    var script: Int?
    /// What was recorded, by what stands for it here.
    var values: [(old: String, new: String)] = []
    /// Steps of the script that were answered.
    var served: Set<Int> = []
    /// The last of them that changed something; -1 before any.
    var progress = -1
    var user: ProviderConfiguration.User?
    var signedInAt: Timestamp?
    /// What was typed as a name on a page of its own.
    var typedName: String?
    /// Whether its answer was given: what comes afterwards belongs to another one.
    var isOver = false

    init(id: String, purpose: Purpose, script: Int? = nil) {
        self.id = id
        self.purpose = purpose
        self.script = script
    }

    var login: PendingLogin? { if case .login(let login) = purpose { login } else { nil } }
    var logout: PendingLogout? { if case .logout(let logout) = purpose { logout } else { nil } }
}

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

/// A logout that waits for the user (OpenID Connect RP-Initiated Logout).
struct PendingLogout: Sendable {
    var session: String?
    /// Where to send the user, with `state`; nil where nobody asked.
    var target: String?
    var parameters: RequestParameters
}
