import Captures
import Flows
import JSON
import OAuth

/// A client that the provider registered within the capture (RFC 7591, section 3.2.1), or whose registration it changed (RFC 7592).
struct RegisteredClient {
    var call: EndpointCall
    var clientID: String

    /// Nil where the answer is no registration.
    init?(_ call: EndpointCall) {
        guard call.answer.isSuccess, let id = call.answer.parameters["client_id"], !id.isEmpty else {
            return nil
        }
        self.call = call
        clientID = id
    }

    /// The latest one of a client before an exchange.
    static func of(_ clientID: String?, before exchange: Int, in flow: Flow) -> RegisteredClient? {
        let position = flow.surroundings.position
        return flow.registrations.last {
            $0.answer.parameters["client_id"] == clientID && position[$0.exchange] <= position[exchange]
        }.flatMap { RegisteredClient($0) }
    }

    /// A list as it was registered: of the answer, else of the request, which a server may not have repeated.
    func list(_ name: String) -> [String]? {
        if let registered = call.answer.json?[name]?.array { return registered.compactMap(\.string) }
        return Self.array(call.parameters[name])
    }

    /// How the client may authenticate at the token endpoint; several where the server says so, none where nothing is known.
    var authenticationMethods: [String] {
        let answer = call.answer.parameters
        let named = answer["token_endpoint_auth_method"] ?? call.parameters["token_endpoint_auth_method"]
        let methods = (named.map { [$0] } ?? []) + (list("token_endpoint_auth_methods") ?? [])
        if !methods.isEmpty { return methods }
        return answer.contains("client_secret") ? ["client_secret_basic"] : []
    }

    /// A member with its place: of the answer, else of the request.
    func evidence(_ name: String, note: String? = nil) -> Evidence? {
        (call.answer.parameters.parameter(name) ?? call.parameters.parameter(name)).map {
            Evidence($0, note: note)
        }
    }

    private static func array(_ text: String?) -> [String]? {
        guard let text, text.utf8.first == 0x5b else { return nil }
        return (try? JSONParser.parse(Array(text.utf8)))?.array?.compactMap(\.string)
    }
}
