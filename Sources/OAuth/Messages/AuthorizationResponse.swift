package import Captures
import JOSE

/// What the provider sends to the redirect URI (RFC 6749, section 4.1.2), wherever it was seen.
package struct AuthorizationResponse: Sendable {
    /// Where it travelled.
    package enum Mode: String, Sendable, Hashable {
        case query
        case fragment
        case formPost = "form_post"
        /// Handed to the app by the browser or the system (``CredentialResponse``).
        case credential
    }

    /// Where it travelled last.
    package var mode: Mode
    /// From the place where it arrived where that is recorded, else from the redirect.
    package var parameters: Parameters { didSet { claims = Self.claims(in: parameters) } }
    /// What a signed `response` says (JARM, section 2.1), of which ``parameters`` have the token alone.
    package private(set) var claims: Parameters
    /// The exchange whose `Location` (or page with an automatic form, or with an address of the app's own scheme) carries it.
    package var deliveredBy: Int?
    /// The exchange at the redirect URI, or where the app's own redirects took it from there.
    package var callback: Int?
    /// Exchanges of the app before ``callback`` that only sent it on, as it came: to another host of its own, to https, to a path
    /// with a slash at its end.
    package var sentOnBy: [Int] = []
    /// The URL it goes to, without the response's parameters.
    package var target: RecordedURL

    package init(
        mode: Mode,
        parameters: Parameters,
        deliveredBy: Int? = nil,
        callback: Int? = nil,
        target: RecordedURL
    ) {
        self.mode = mode
        self.parameters = parameters
        claims = Self.claims(in: parameters)
        self.deliveredBy = deliveredBy
        self.callback = callback
        self.target = target
    }

    private static func claims(in parameters: Parameters) -> Parameters {
        // An app's own parameter may have that name beside an answer in clear.
        guard !parameters.contains("code"), !parameters.contains("error"),
            let response = parameters.parameter("response"), let exchange = response.place.exchange,
            let token = JSONWebToken.parse(response.value), token.form == .signed, let claims = token.claims
        else { return Parameters() }
        return Parameters(claims, of: exchange, in: .jwtClaims)
    }

    /// A parameter as it was sent, in a signed `response` or without one.
    package func parameter(_ name: String) -> Parameter? {
        parameters.parameter(name) ?? claims.parameter(name)
    }

    /// The code, in a signed answer or without one.
    package var code: String? {
        parameter("code")?.value ?? (mode == .credential ? CredentialResponse.code(in: parameters) : nil)
    }
    /// The `state` that came back.
    package var state: String? { parameter("state")?.value }
    /// Why there is no code; nil where nothing says so.
    package var error: ErrorResponse? {
        ErrorResponse(parameters) ?? ErrorResponse(named: parameters) ?? ErrorResponse(claims)
    }
    /// The first exchange it is seen in.
    package var exchange: Int { deliveredBy ?? callback ?? 0 }

    /// Names that make parameters a response.
    ///
    /// A bare access token is one only where the browser keeps it to itself: in a query it is what an app
    /// sends to itself.
    private static func names(in mode: Mode) -> Set<String> {
        let names: Set<String> = ["code", "error", "id_token", "response"]
        return mode == .query ? names : names.union(["access_token"])
    }

    /// Whether what goes to a redirect URI is a response.
    package static func isResponse(_ items: QueryItems, mode: Mode) -> Bool {
        let names = names(in: mode)
        return items.items.contains { names.contains($0.name) && !$0.value.isEmpty }
            || (ErrorResponse.ofFacebook + ["state"]).allSatisfy { name in
                items.items.contains { $0.name == name && !$0.value.isEmpty }
            }
    }
}
