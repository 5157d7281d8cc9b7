import Captures
import Flows
import JSON
import OAuth

/// A login without redirects: what the browser asked the provider with, what it was handed, and where that went.
struct HandedCredential {
    /// Nil where only the app's own request with the token was recorded.
    var assertion: EndpointCall?
    var response: AuthorizationResponse?

    /// In the order of time.
    static func all(in flow: Flow) -> [HandedCredential] {
        var assertions: [Int: EndpointCall] = [:]
        for message in flow.messages {
            if case .identityAssertion(let call) = message { assertions[call.exchange] = call }
        }
        var found: [HandedCredential] = []
        for response in flow.authorizationResponses where response.mode == .credential {
            let assertion = response.deliveredBy.flatMap { assertions.removeValue(forKey: $0) }
            found.append(HandedCredential(assertion: assertion, response: response))
        }
        found += assertions.values.map { HandedCredential(assertion: $0) }
        return flow.surroundings.inOrder(found, by: \.exchange)
    }

    private var exchange: Int { assertion?.exchange ?? response?.exchange ?? 0 }

    /// For whom the token was asked, as the browser or the app says.
    var client: Parameter? {
        assertion?.parameters.parameter("client_id")
            ?? ["client_id", "clientId"].lazy.compactMap { response?.parameters.parameter($0) }.first
    }

    /// As the page asked for it: a field of its own, or a member of `params` (FedCM, "Identity assertion endpoint").
    var nonce: Parameter? {
        if let nonce = assertion?.parameters.parameter("nonce") { return nonce.value.isEmpty ? nil : nonce }
        guard let all = assertion?.parameters.parameter("params"),
            let nonce = (try? JSONParser.parse(Array(all.value.utf8)))?["nonce"]?.string, !nonce.isEmpty
        else { return nil }
        return Parameter(name: "nonce", value: nonce, place: all.place)
    }

    /// What the provider answered instead of a token.
    var refusal: Evidence? {
        guard let assertion, assertion.answer.isRefusal || response?.error != nil else { return nil }
        if let error = response?.parameters.parameter("error") { return Evidence(error) }
        guard let status = assertion.answer.status, (400..<500).contains(status), status != 429 else {
            return nil
        }
        return Evidence(place: assertion.answer.statusPlace, value: "\(status)")
    }

    /// The field and the cookie of the same name that have to agree (Sign in with Google's `g_csrf_token`), where they do not
    /// and the app refused it.
    func lostCookie(in flow: Flow) -> (field: Parameter, sent: String?)? {
        guard let response, let callback = response.callback,
            let field = response.parameters.parameter(Self.cookieName), !field.value.isEmpty
        else { return nil }
        let sent = flow.capture[callback].request.cookies.first { $0.name == Self.cookieName }?.value
        return sent == field.value ? nil : (field, sent)
    }

    static let cookieName = "g_csrf_token"
}
