import Captures
import Flows
import OAuth

/// One try to log in: what the app asked for, with all the ways in which it can be asked merged, and what the
/// provider said to it.
struct LoginAttempt {
    /// Nil for a pushed request that was refused, so that none followed.
    var request: AuthorizationRequest?
    /// The exchange of the request; of the pushed one where there is no other.
    var exchange: Int
    /// Merged: query or form, pushed request, request object.
    var parameters: Parameters
    /// Of the request itself, before merging.
    var ownParameters: Parameters
    var pushed: EndpointCall?
    var response: AuthorizationResponse?
    var tokenRequests: [TokenRequest] = []
    var refusal: RequestRefusal?
    /// The provider's pages that the request led to by redirects, itself first.
    var pages: [Int] = []

    /// The parameter, where it has a value: an empty one counts as omitted (RFC 6749, section 3.1).
    func parameter(_ name: String) -> Parameter? {
        parameters.items.first { $0.name == name && !$0.value.isEmpty }
    }

    subscript(name: String) -> String? { parameter(name)?.value }

    /// All values of a parameter that may be repeated.
    func all(_ name: String) -> [Parameter] {
        parameters.items.filter { $0.name == name && !$0.value.isEmpty }
    }

    var responseTypes: [String] { (self["response_type"] ?? "").spaceDelimited }

    var asksForCode: Bool { responseTypes.contains("code") }

    /// Why some of the parameters may be hidden: an encrypted request object, or one that is kept elsewhere.
    var hiddenParameters: String? {
        if let object = RequestObject(in: parameters), !object.isReadable {
            return "the request object cannot be read"
        }
        if pushed == nil, self["request_uri"] != nil {
            return "the request stands elsewhere, and was not recorded there"
        }
        if let pushed, pushed.parameters.isEmpty { return "the pushed request was saved without its body" }
        return nil
    }

    /// Whether the provider refused what was asked for: not the user, nor for want of a session.
    var isRefused: Bool { refusal?.isOfTheRequest ?? false }

    /// Severity of a fault of the request that a provider may let pass: an error where it did not.
    var severity: Severity { isRefused ? .error : .warning }

    /// The names of what was sent, as evidence.
    func names(note: String? = nil) -> Evidence {
        let own = parameters.items.first { $0.place.exchange == exchange }?.place.part
        // Of a request object the names stand in the token, which was sent in a form or in a query.
        let part =
            own.flatMap { $0 == .jwtClaims ? nil : $0 } ?? (request == nil ? .requestBody : .requestQuery)
        return Evidence(
            place: Place(exchange: exchange, part: part, name: ""),
            value: Masking.shown(parameters.shownNames, of: "names"),
            note: note
        )
    }

    /// A parameter that is missing, as evidence.
    func missing(_ name: String, note: String? = nil) -> Evidence { names(note: note).missing(name) }
}
