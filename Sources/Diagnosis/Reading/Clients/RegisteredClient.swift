import Captures
import Flows
import JSON
import OAuth

/// A client that the provider registered within the capture (RFC 7591, section 3.2.1), as it was at a time: with what was changed and
/// read since (RFC 7592, section 3).
struct RegisteredClient {
    var clientID: String
    /// The latest answer about it.
    var call: EndpointCall
    /// The answers that tell of it, latest first, down to the one to the last request that registered or changed it: what is read
    /// need not be all there is.
    private var calls: [EndpointCall]
    /// The answer that issued the secret it has: others may keep that to themselves.
    private(set) var secretCall: EndpointCall?

    /// Nil where the answer is no registration.
    init?(_ call: EndpointCall) {
        guard call.answer.parameters.contains("client_id") else { return nil }
        self.init([call], secretCall: call.issuedSecret == nil ? nil : call)
    }

    /// `calls`: about one client, latest first.
    init?(_ calls: [EndpointCall], secretCall: EndpointCall?) {
        guard let call = calls.first, call.answer.isSuccess, let id = call.registeredClient, !id.isEmpty
        else { return nil }
        clientID = id
        self.call = call
        self.calls = calls
        self.secretCall = secretCall
    }

    /// A client as it was before an exchange; nil where it was not there any more.
    static func of(_ clientID: String?, before exchange: Int, in flow: Flow) -> RegisteredClient? {
        let position = flow.surroundings.position
        return flow.toldClients.calls(about: clientID, before: position[exchange], in: flow)?
            .client(before: position[exchange], position)
    }

    /// A list as it was registered: of the answer, else of the request, which a server may not have repeated.
    func list(_ name: String) -> [String]? {
        for call in calls {
            if let registered = call.answer.json?[name]?.array { return registered.compactMap(\.string) }
            if let list = Self.array(call.parameters[name]) { return list }
        }
        return nil
    }

    /// How the client may authenticate at the token endpoint; several where the server says so, none where nothing is known.
    var authenticationMethods: [String] {
        let named = member("token_endpoint_auth_method")?.value
        let methods = (named.map { [$0] } ?? []) + (list("token_endpoint_auth_methods") ?? [])
        if !methods.isEmpty { return methods }
        return secretCall == nil || hasOwnDefaults ? [] : ["client_secret_basic"]
    }

    /// Whether what holds where nothing is named is not what RFC 7591 says.
    var hasOwnDefaults: Bool { OtherNames.isRegistration(at: call.endpoint) }

    /// A member with its place: of the answer, else of the request.
    func member(_ name: String) -> Parameter? {
        calls.lazy.compactMap {
            Self.told(name, in: $0.answer.parameters) ?? Self.told(name, in: $0.parameters)
        }.first
    }

    /// A member as the provider confirms it.
    func answered(_ name: String) -> Parameter? {
        calls.lazy.compactMap { Self.told(name, in: $0.answer.parameters) }.first
    }

    /// A null came as an empty value, and tells as little as a member that is not there.
    private static func told(_ name: String, in members: Parameters) -> Parameter? {
        members.parameter(name).flatMap { $0.value.isEmpty ? nil : $0 }
    }

    /// A list in which the provider confirms a value.
    func confirmed(_ value: String, in name: String) -> Parameter? {
        answered(name).flatMap { Self.array($0.value)?.contains(bytesOf: value) ?? false ? $0 : nil }
    }

    func evidence(_ name: String, note: String? = nil) -> Evidence? {
        member(name).map { Evidence($0, note: note) }
    }

    private static func array(_ text: String?) -> [String]? {
        text.flatMap { try? JSONParser.parse(Array($0.utf8)) }?.array?.compactMap(\.string)
    }
}

extension Flow {
    /// The last registrations of a client that the capture holds, oldest first.
    func registrations(of client: String?) -> [EndpointCall] {
        client.flatMap { surroundings.clients.registrations[$0]?.suffix(8) }.map(Array.init) ?? []
    }

    fileprivate var toldClients: ToldClients { derived.value { ToldClients(registrations) } }

    /// The client of a token as it was when that was issued, wherever the capture tells of it; else as it is told of last.
    func registeredClient(_ client: String?, before exchange: Int?) -> RegisteredClient? {
        guard let client else { return nil }
        let told = surroundings.derived.value { ToldClients(surroundings.registrations) }
        if let time = exchange.map({ surroundings.position[$0] }),
            let calls = told.calls(about: client, before: time, in: self)
        {
            return calls.client(before: time, surroundings.position)
        }
        return told.latest(client, in: self).flatMap { RegisteredClient($0) }
    }

    /// The request that took a client's registration away before an exchange (RFC 7592, section 2.3); nil where there is none, or the
    /// client was registered again.
    func deletion(of clientID: String?, before exchange: Int) -> EndpointCall? {
        let time = surroundings.position[exchange]
        let last = toldClients.calls(about: clientID, before: time, in: self)?
            .last(before: time, surroundings.position)
        return last.flatMap { $0.isDeletion ? $0 : nil }
    }

    /// What was asked and answered where a client was deleted.
    func evidence(ofDeletion call: EndpointCall) -> [Evidence] {
        [
            Evidence(
                place: Place(exchange: call.exchange, part: .requestURL, name: ""),
                value: "DELETE " + Masking.shown(call.endpoint.text, of: "url"),
                note: "deletes the client's registration"
            ), call.answer.statusEvidence(),
        ]
    }
}

extension Violation.Words {
    /// Of a client whose registration was deleted before.
    static let deletedClient = Violation.Words(
        title: "The client was deleted at the provider before",
        explanation: """
            The client's registration was deleted, and with it its credentials: the provider does not know it any more, and takes back what it had \
            given to it.
            """,
        fix: """
            Register the client anew and use the client_id and credentials of that answer; or delete a registration only once nothing signs in with it any more.
            """
    )
}
