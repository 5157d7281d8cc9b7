import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The provider did not register the client.
///
/// A later try that was accepted makes up for it, and a client that signed its user in all the same had another registration.
/// A change of a registration (RFC 7592) whose token is refused is told here, too.
struct RegistrationRejected: Rule {
    static let info = RuleInfo(
        id: "registration-rejected",
        title: "The provider refused the dynamic client registration",
        severity: .error,
        explanation: """
            The client asked the provider to register it and was refused. Without a client_id of its own it cannot start a login.
            """,
        fix: """
            Compare what the client asks for with what the provider allows: its redirect URIs, its authentication method, its grants and \
            algorithms. Many providers register only clients that bring an initial access token, or from hosts on a list.
            """,
        badExample: """
            POST /register {"redirect_uris":["http://shop.example/callback"]} → 400 {"error":"invalid_redirect_uri"}
            """,
        goodExample: """
            POST /register {"redirect_uris":["https://shop.example/callback"]} → 201 {"client_id":"…",…}
            """,
        specifications: [.rfc(7591, "3.2.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let position = flow.surroundings.position
        let calls = flow.registrations.filter { flow.capture[$0.exchange].request.method == "POST" }
        let accepted = calls.last { RegisteredClient($0) != nil }.map { position[$0.exchange] } ?? -1
        let refused = calls.filter {
            guard let status = $0.answer.status, status != 429 else { return false }
            return $0.isRefusedRegistration && position[$0.exchange] > accepted
        }
        guard let last = refused.last else { return refusedChange(in: flow) ?? .holds }
        let isSignedIn = flow.authorizationRequests.contains {
            position[$0.exchange] > position[last.exchange]
        }
        let unnamed = flow.isRegistrationGuessed(last) ? metadata(without: last, flow) : []
        return .violated(
            Violation(
                evidence(last, flow) + unnamed,
                severity: isSignedIn ? .note : nil,
                explanation: unnamed.isEmpty ? (isSignedIn ? Self.wentOn : nil) : Self.guessed,
                fix: unnamed.isEmpty ? fix(last) : Self.guessedFix,
                title: unnamed.isEmpty ? nil : "The provider does not offer dynamic client registration",
                exchange: last.exchange
            )
            .toldOfFront(in: flow)
        )
    }

    private static let wentOn = """
        The client asked the provider to register it and was refused. It went on with a client_id that it had from elsewhere.
        """
    private static let guessed = """
        The provider's metadata names no address for registrations. The client tried one all the same, and there is nothing there: this \
        provider does not register clients by itself.
        """
    private static let guessedFix = """
        Register the client at the provider by hand and put its client_id into the client's configuration; or have the provider offer \
        registration, and name its registration_endpoint.
        """

    /// The metadata of the provider, which names no address for registrations; empty where it does, or was not read.
    ///
    /// A client may try the server that wants the token instead, as if it were the provider.
    private func metadata(without call: EndpointCall, _ flow: Flow) -> [Evidence] {
        let documents = flow.serverMetadata.filter(\.isUsable)
        let isAsked = { (document: MetadataDocument) in document.url.origin == call.endpoint.origin }
        guard
            let document = documents.last(where: isAsked)
                ?? documents.last(where: { $0.endpoint("registration_endpoint") == nil })
        else { return [] }
        let absent = Evidence(place: document.answer.place("registration_endpoint"), value: "absent")
        guard !isAsked(document) else { return [absent] }
        return [
            absent,
            Evidence(
                place: Place(exchange: call.exchange, part: .requestURL, name: ""),
                value: Masking.shown(call.endpoint.text, of: "url"),
                note: "where the client tried to register: another server than the provider"
            ),
        ]
    }

    // MARK: - A registration that is changed

    /// A client whose token the provider does not accept for the change (RFC 7592, section 2.2); nil where there is none, or
    /// where a later try was taken.
    private func refusedChange(in flow: Flow) -> Verdict? {
        let changes = flow.registrations.filter { flow.capture[$0.exchange].request.method == "PUT" }
        guard let last = changes.last, last.answer.status == 401 else { return nil }
        if last.token == nil, flow.surroundings.mayLackCredentials(at: last.exchange) {
            return .abstains(Gap.strippedCredentials)
        }
        let position = flow.surroundings.position
        let issued = flow.registrations.last {
            position[$0.exchange] < position[last.exchange]
                && $0.answer.parameters["client_id"]?.equalsBytes(of: last.parameters["client_id"]) ?? false
                && $0.answer.parameters.contains("registration_access_token")
        }?.answer.parameters.parameter("registration_access_token")
        var evidence = flow.evidence(of: last.answer)
        if last.answer.error != nil { evidence.insert(last.answer.statusEvidence(), at: 0) }
        evidence.append(
            Evidence(
                place: Place(exchange: last.exchange, part: .requestHeader, name: "Authorization"),
                value: last.token.map { Masking.masked($0.value) } ?? "none",
                note: Self.words(last.token, issued)
            )
        )
        if let issued { evidence.append(Evidence(issued, note: "the one that was issued last")) }
        return .violated(
            Violation(
                evidence,
                severity: flow.authorizationRequests.isEmpty ? nil : .note,
                explanation: Self.changeExplanation,
                fix: Self.changeFix,
                title: "The provider refused the token for the client's registration",
                exchange: last.exchange
            )
        )
    }

    private static func words(_ sent: Parameter?, _ issued: Parameter?) -> String {
        guard let sent else { return "no registration access token was sent" }
        guard let issued, ![sent, issued].contains(where: { Placeholder.isOne($0.value) }) else {
            return "the registration access token"
        }
        return sent.value.equalsBytes(of: issued.value)
            ? "the one that was issued last" : "another one than was issued last"
    }

    private static let changeExplanation = """
        The client wanted to change its registration, and the provider did not accept the token that came with the request. The \
        registration stays as it was.
        """
    private static let changeFix = """
        Send the registration_access_token of the latest answer about this registration (Authorization: Bearer …): with each answer the \
        provider may give out another one in its place. Where it is lost or was taken back, register the client anew.
        """

    // MARK: -

    private func evidence(_ call: EndpointCall, _ flow: Flow) -> [Evidence] {
        var evidence = flow.evidence(of: call.answer)
        if call.answer.error != nil { evidence.insert(call.answer.statusEvidence(), at: 0) }
        if let member = member(call) { evidence.append(Evidence(member)) }
        if call.answer.status == 401 || call.answer.status == 403 {
            evidence.append(
                Evidence(
                    place: Place(exchange: call.exchange, part: .requestHeader, name: "Authorization"),
                    value: call.token.map { Masking.masked($0.value) } ?? "none",
                    note: call.token == nil ? "no initial access token was sent" : "the initial access token"
                )
            )
        }
        return evidence
    }

    /// What was asked for and is at fault, as far as the provider says.
    private func member(_ call: EndpointCall) -> Parameter? {
        if call.answer.error?.error == "invalid_redirect_uri" {
            return call.parameters.parameter("redirect_uris")
        }
        let text = call.answer.errorText
        return call.parameters.items.prefix(100)
            // Keys and statements are long, and may hold what nobody has to see.
            .filter { $0.name != "jwks" && $0.name != "software_statement" }
            .compactMap { item in
                item.name.utf8.count > 3
                    ? text.firstRange(of: item.name.lowercased()).map { (item, $0) } : nil
            }
            // The one that is named first is at fault; of two at one place the longer name is meant.
            .min { ($0.1.lowerBound, $1.1.upperBound) < ($1.1.lowerBound, $0.1.upperBound) }?.0
    }

    /// Whether a client of that name, or with that id, is there already (WSO2).
    private func isTaken(_ text: String) -> Bool {
        ["already exist", "already registered", "already taken", "already in use"].contains(
            where: text.containsBytes
        ) && !["jwks", "redirect", "software"].contains(where: text.containsBytes)
    }

    private func fix(_ call: EndpointCall) -> String? {
        let answer = call.answer
        return switch (answer.error?.error, answer.status) {
        case ("invalid_redirect_uri", _):
            """
            Register a redirect URI that the provider allows: mostly https, or a loopback address or private-use scheme for native apps; \
            some hosts may have to be put on a list first.
            """
        case _ where isTaken(answer.errorText):
            """
            Register under a name that no other client has, one for each installation where each registers itself; or go on with the registration that is \
            there, and delete those that nobody uses any more.
            """
        case ("invalid_client_metadata", _) where member(call)?.name.hasSuffix("_uri") ?? false:
            """
            Change the address that the provider names, or have its policy allow it. Providers want the client's addresses (client_uri, logo_uri, tos_uri, policy_uri, \
            redirect_uris) to be https, and some of them all at one host.
            """
        case ("invalid_client_metadata", _):
            """
            Ask for an authentication method, grants, response types and algorithms that the provider's metadata lists, or enable them there.
            """
        case (_, 401), (_, 403):
            """
            Send an initial access token of the provider with the registration (Authorization: Bearer …), or let its policy admit the \
            client's host; else register the client by hand.
            """
        default: nil
        }
    }
}
