import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A value that an app's own server made up for a login, and that the app did not send: libraries make one of their own where they are
/// given none.
struct ServersValue {
    var name: String
    /// As the server told it.
    var told: Evidence
    /// As the login has it.
    var sent: Evidence

    /// `state`, `nonce` or `code_challenge`, the first that differs; nil where the server told none.
    ///
    /// `relay`: the request by which the app handed the answer to the same server.
    init?(unusedBy login: Login, relay: Int, in flow: Flow) {
        let index = flow.surroundings
        let request = login.request
        let start = flow.capture[request.exchange].startedAt
        let host = flow.capture[relay].request.url.host
        let agent = flow.capture[relay].request.userAgent
        let before = index.order[..<index.position[request.exchange]].suffix(Self.mostExchanges).reversed()
            .prefix { start - flow.capture[$0].startedAt <= .seconds(300) }
        for exchange in before {
            let recorded = flow.capture[exchange]
            guard recorded.request.url.host == host,
                recorded.request.userAgent == agent,
                let json = JSONBody.object(of: recorded.response?.body, below: Self.largest)
            else { continue }
            let values = Self.names.compactMap { name in
                json[name]?.string.flatMap { Self.isMadeUp($0) ? (name: name, value: $0) : nil }
            }
            // The last that told any is the one of this login.
            guard !values.isEmpty else { continue }
            for (name, value) in values {
                guard let parameter = request.parameters.parameter(name), !parameter.value.isEmpty,
                    !Self.isUsed(value, in: parameter.value), !Placeholder.isOne(value),
                    !Placeholder.isOne(parameter.value),
                    // The server knows the login by what the app brings it.
                    name != "state" || !Self.isBrought(value, by: flow.capture[relay].request)
                else { continue }
                self.name = name
                told = Evidence(
                    place: Place(exchange: exchange, part: .responseBody, name: name),
                    value: Masking.shown(value, of: name),
                    note: "made up by the app's server"
                )
                sent = Evidence(parameter, note: "another one, with which the login went out")
                return
            }
            return nil
        }
        return nil
    }

    /// Whether a value is none that a program has names for, as `not_authenticated` is of a state.
    private static func isMadeUp(_ value: String) -> Bool {
        let bytes = value.utf8
        return bytes.count >= 16 && bytes.contains { (0x30...0x39).contains($0) }
            && bytes.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Whether an app sent a value as it is, with something of its own around it, or hashed: Apple is sent the hash of a `nonce`.
    private static func isUsed(_ value: String, in sent: String) -> Bool {
        let decoded = Base64URL.decode(sent).map { String(decoding: $0, as: UTF8.self) }
        return sent.containsBytes(value) || decoded?.containsBytes(value) ?? false
            || CodeChallenge.relation(of: sent, to: value) != nil
    }

    private static func isBrought(_ value: String, by request: RecordedRequest) -> Bool {
        request.url.text.containsBytes(value) || request.body?.text?.containsBytes(value) ?? false
    }

    var title: String { "The app did not use the \(name) that its own server had made up" }

    var explanation: String {
        """
        The app's server told the app a \(name), to know the answer by. The login went out with another one, which the app made up itself, so that the \
        server does not find what comes back among the logins that it began, and refuses it. The provider is not at fault.
        """
    }

    var fix: String {
        """
        Send the authorization request with state, nonce and code_challenge as the server made them. AppAuth makes its own where they are not given: use the initialiser \
        of the request that takes them (on iOS the one with all parameters), and skip its own exchange of the code.
        """
    }

    private static let names = ["state", "nonce", "code_challenge"]
    private static let mostExchanges = 500
    /// In bytes.
    private static let largest = 1 << 16
}
