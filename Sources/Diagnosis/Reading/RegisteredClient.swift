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
        self.init([call])
    }

    /// `calls`: about one client, latest first.
    private init?(_ calls: [EndpointCall]) {
        guard let call = calls.first, call.answer.isSuccess, let id = call.registeredClient, !id.isEmpty
        else {
            return nil
        }
        clientID = id
        self.call = call
        let made = calls.firstIndex { $0.method != "GET" } ?? calls.count - 1
        self.calls = Array(calls[...made])
        secretCall = calls.first { $0.answer.parameters.contains("client_secret") }
    }

    /// A client as it was before an exchange; nil where it was not there any more.
    static func of(_ clientID: String?, before exchange: Int, in flow: Flow) -> RegisteredClient? {
        of(clientID, among: flow.registrations, before: exchange, in: flow)
    }

    /// `registrations`: in the order of time.
    fileprivate static func of(
        _ clientID: String?,
        among registrations: [EndpointCall],
        before exchange: Int,
        in flow: Flow
    ) -> RegisteredClient? {
        guard let clientID else { return nil }
        let position = flow.surroundings.position
        let end = registrations.partitionPoint { position[$0.exchange] > position[exchange] }
        var calls: [EndpointCall] = []
        for call in registrations[..<end].reversed() where call.tells(of: clientID) {
            if call.isDeletion { break }
            calls.append(call)
            let isKnown = calls.contains { $0.answer.parameters.contains("client_secret") }
            if call.method != "GET" && isKnown || calls.count == Self.mostCalls { break }
        }
        return RegisteredClient(calls)
    }

    /// Of a client that is read before each login.
    private static let mostCalls = 32

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
        return secretCall == nil ? [] : ["client_secret_basic"]
    }

    /// A member with its place: of the answer, else of the request.
    func member(_ name: String) -> Parameter? {
        for call in calls {
            if let member = call.answer.parameters.parameter(name) ?? call.parameters.parameter(name) {
                return member
            }
        }
        return nil
    }

    /// A member as the provider confirms it.
    func answered(_ name: String) -> Parameter? {
        calls.lazy.compactMap { $0.answer.parameters.parameter(name) }.first
    }

    func evidence(_ name: String, note: String? = nil) -> Evidence? {
        member(name).map { Evidence($0, note: note) }
    }

    private static func array(_ text: String?) -> [String]? {
        guard let text, text.utf8.first == 0x5b else { return nil }
        return (try? JSONParser.parse(Array(text.utf8)))?.array?.compactMap(\.string)
    }
}

extension EndpointCall {
    /// Whether it was answered, and about this client.
    fileprivate func tells(of clientID: String) -> Bool {
        answer.isSuccess && registeredClient.map { $0.equalsBytes(of: clientID) } ?? false
    }
}

extension Flow {
    /// The client of a token as it was when that was issued, wherever the capture tells of it; else as it is told of last.
    func registeredClient(_ client: String?, before exchange: Int?) -> RegisteredClient? {
        guard let client, let all = surroundings.clients.registrations[client], let last = all.last else {
            return nil
        }
        return exchange.flatMap { RegisteredClient.of(client, among: all, before: $0, in: self) }
            ?? RegisteredClient(last)
    }

    /// The request that took a client's registration away before an exchange (RFC 7592, section 2.3); nil where there is none, or the
    /// client was registered again.
    func deletion(of clientID: String?, before exchange: Int) -> EndpointCall? {
        guard let clientID else { return nil }
        let position = surroundings.position
        let last = registrations.last {
            $0.tells(of: clientID) && position[$0.exchange] < position[exchange]
        }
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
