import Captures
import JOSE
import JSON
import OAuth

/// An answer of the engine before it becomes bytes: members and parameters have names, tokens are not signed yet.
///
/// Between this and ``AnswerRenderer`` is the one place where an answer can be made wrong in a named way.
struct BuiltAnswer: Sendable {
    /// A member of a token response, or a parameter of an authorization response.
    enum Value: Sendable {
        case json(JSONValue)
        case token(UnsignedToken)
    }

    struct Member: Sendable {
        var name: String
        var value: Value
        /// What is to be remembered under the value once it is known.
        var memory: Memory?

        init(_ name: String, _ value: Value, memory: Memory? = nil) {
            self.name = name
            self.value = value
            self.memory = memory
        }

        init(_ name: String, text: String, memory: Memory? = nil) {
            self.init(name, .json(.string(text)), memory: memory)
        }
    }

    /// What a value stands for.
    enum Memory: Sendable {
        case code(ProviderState.Code)
        case accessToken(ProviderState.AccessToken)
        case refreshToken(ProviderState.RefreshToken)
        /// An ID token names the session it was issued in, to one client.
        case session(String, ProviderState.Session.Reader)
    }

    enum Content: Sendable {
        case none
        case body(Body)
        case object(JSONObject)
        case form(JSONObject)
        /// A token response (RFC 6749, section 5.1).
        ///
        /// `isForm`: written as a form, as GitHub does.
        case tokens([Member], isForm: Bool)
        /// An authorization response, with where it goes.
        case authorization(Authorization)
        /// A token as the whole body (`application/jwt`).
        case token(UnsignedToken, mediaType: String)
    }

    struct Authorization: Sendable {
        var parameters: [Member]
        var target: String
        var mode: AuthorizationResponse.Mode
        /// The token it travels in (JARM, section 2.1).
        var envelope: UnsignedToken?
        /// The page of the recording that posts it, with the values to be replaced.
        var page: (body: Body, values: [(old: String, name: String)])?
    }

    /// The endpoint that answers; nil for pages and everything beside the protocol.
    var role: Endpoints.Role?
    var status: Int
    var headers = HeaderFields()
    var cookies: [SetCookie] = []
    var location: SentText?
    var content: Content
    /// Why nothing comes of the request, in words for whoever runs the provider; nil where the answer says so itself.
    var explanation: String?

    init(_ status: Int, _ content: Content = .none, role: Endpoints.Role? = nil) {
        self.status = status
        self.content = content
        self.role = role
    }

    /// Like a recorded answer.
    init(like template: AnswerTemplate, role: Endpoints.Role? = nil) {
        self.init(template.status, role: role)
        headers = template.headers
        if let members = template.members {
            content = template.isForm ? .form(members) : .object(members)
        } else if let body = template.body {
            content = .body(body)
        }
    }

    static func page(_ status: Int, _ html: String) -> BuiltAnswer {
        var answer = BuiltAnswer(status, .body(Body(text: html, mediaType: "text/html; charset=utf-8")))
        answer.headers.append("Cache-Control", "no-store")
        return answer
    }

    static func json(_ object: JSONObject, status: Int = 200, role: Endpoints.Role? = nil) -> BuiltAnswer {
        var answer = BuiltAnswer(status, .object(object), role: role)
        // RFC 6749, section 5.1: what holds tokens is not kept.
        answer.headers.append("Cache-Control", "no-store")
        return answer
    }

    static func redirect(to location: String) -> BuiltAnswer {
        var answer = BuiltAnswer(302)
        answer.location = SentText(location)
        answer.headers.append("Cache-Control", "no-store")
        return answer
    }
}

/// A token with everything in it but its signature, and the hashes of what is issued beside it.
struct UnsignedToken: Sendable {
    var header: JSONObject
    var claims: JSONObject
    var algorithm: SignatureAlgorithm?
    var key: SigningKey?
    /// Claims that are the half hash of another member (`at_hash` of `access_token`).
    var hashes: [(claim: String, member: String)] = []
    /// Values to hash that are no members of the same answer: the code at the token endpoint.
    var hashed: [String: String] = [:]
    /// What is done to the finished token before it is sealed; nil leaves it whole.
    var tampering: (@Sendable (String) -> String)?
    /// Whether the claims are encrypted as they are, and nobody signs them.
    var isSealedAlone = false
    /// The key and header to encrypt with; nil where it travels as it is.
    var seal: TokenSeal?
}
