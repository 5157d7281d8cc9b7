import Captures
import Flows
import JSON
import OAuth

/// A call of a client that was refused for having no credentials, and had none (RFC 6749, section 2.3).
enum MissingCredentials {
    /// It had a header with them, which it lost at a redirect.
    case lost(LostCredentials)
    /// It does not say which client it is from; the request before did, and was accepted.
    case unnamed(after: TokenRequest)
    case absent
    /// They may have been in a header that was taken out of the capture.
    case unseen

    /// Nil of a call that is not known to be refused for that.
    init?(of call: ClientCall, in flow: Flow) {
        let provider = flow.providerFacts
        guard Self.isBare(call, flow), Self.isRefusedForIt(call),
            !Self.mayShowCertificate(call, provider, flow),
            !AssertionOnly.applies(to: call, provider, flow),
            !ClientTypeRefusal.isSaid(in: call.answer.errorText)
        else { return nil }
        if flow.surroundings.mayLackCredentials(at: call.exchange) {
            self = .unseen
        } else if let lost = LostCredentials(at: call.exchange, in: flow) {
            self = .lost(lost)
        } else if call.kind != .token {
            self = .absent
        } else if Self.isKnownAsPublic(call, flow) {
            return nil
        } else if call.authentication.clientID == nil,
            let earlier = Self.request(acceptedBefore: call, in: flow)
        {
            self = .unnamed(after: earlier)
        } else {
            self = .absent
        }
    }

    /// Whether the provider itself says of a call that has none in its body that it got no secret: so it was not in a header that was
    /// taken out of the capture.
    static func isSaid(of call: ClientCall) -> Bool {
        guard call.authentication.methods == [.none], !call.parameters.isEmpty, call.mayBlameClient else {
            return false
        }
        let text = call.answer.errorText
        return demands.contains { $0.containsBytes("client_secret") && text.containsBytes($0) }
            || text.containsBytes("aadsts7000218")
    }

    /// Whether the provider asks a call for credentials that it has not, be they missed by what was recorded or by its own word.
    static func areAsked(of call: ClientCall, in flow: Flow) -> Bool {
        switch MissingCredentials(of: call, in: flow) {
        case nil, .unseen: isSaid(of: call)
        case .lost, .unnamed, .absent: true
        }
    }

    // MARK: - Public clients

    private static func isKnownAsPublic(_ call: ClientCall, _ flow: Flow) -> Bool {
        let clients = flow.surroundings.derived.value { PublicClients(in: flow.surroundings) }
        return clients.wasAccepted(before: call, in: flow.surroundings)
    }

    /// The clients whose token requests were accepted without credentials, anywhere in the capture.
    private struct PublicClients: Sendable {
        private struct Sender: Hashable {
            var endpoint: ByteText
            var client: ByteText
        }

        private var first: [Sender: Int] = [:]

        init(in surroundings: CaptureIndex) {
            for request in surroundings.tokenRequests where Self.isOne(request, surroundings) {
                guard let sender = Self.sender(request.endpoint, request.authentication.clientID),
                    first[sender] == nil
                else { continue }
                first[sender] = request.exchange
            }
        }

        /// Whether such a request of the same client was accepted before.
        func wasAccepted(before call: ClientCall, in surroundings: CaptureIndex) -> Bool {
            guard let sender = Self.sender(call.endpoint, call.authentication.clientID),
                let exchange = first[sender]
            else { return false }
            return surroundings.position[exchange] < surroundings.position[call.exchange]
        }

        /// Whether a request without credentials was answered with tokens.
        static func isOne(_ request: TokenRequest, _ surroundings: CaptureIndex) -> Bool {
            request.answer.isSuccess && request.authentication.methods == [.none]
                && !MissingCredentials.hasHeader(surroundings.capture[request.exchange].request)
                && !surroundings.mayLackCredentials(at: request.exchange)
        }

        private static func sender(_ endpoint: RecordedURL, _ client: Parameter?) -> Sender? {
            client.map { Sender(endpoint: ByteText(endpoint.text), client: ByteText($0.value)) }
        }
    }

    /// A request of the flow that said which client it is from and was accepted before this one, which has nothing of it.
    private static func request(acceptedBefore call: ClientCall, in flow: Flow) -> TokenRequest? {
        let position = flow.surroundings.position
        return flow.tokenRequests.first { request in
            request.endpoint.text.equalsBytes(of: call.endpoint.text)
                && request.answer.isSuccess && request.authentication.clientID != nil
                && position[request.exchange] < position[call.exchange]
        }
    }

    /// Whether a request without credentials was answered with tokens.
    static func areNotAsked(of request: TokenRequest, _ surroundings: CaptureIndex) -> Bool {
        PublicClients.isOne(request, surroundings)
    }

    // MARK: - Conditions

    private static func isBare(_ call: ClientCall, _ flow: Flow) -> Bool {
        call.authentication.methods == [.none] && !call.parameters.isEmpty
            && !hasHeader(flow.capture[call.exchange].request)
    }

    /// Whether a client says in a header who it is: by its credentials, or by an attestation of the app
    /// (draft-ietf-oauth-attestation-based-client-auth, section 6).
    private static func hasHeader(_ request: RecordedRequest) -> Bool {
        ["authorization", "oauth-client-attestation", "oauth-client-attestation-pop"]
            .contains(where: request.headers.contains)
    }

    private static func isRefusedForIt(_ call: ClientCall) -> Bool {
        guard call.answer.isRefusal else { return false }
        let text = call.answer.errorText
        // B2C's name for it is invalid_grant.
        if text.containsBytes("aadb2c90079") { return true }
        guard call.mayBlameClient else { return false }
        if demands.contains(where: text.containsBytes) { return true }
        // LinkedIn: A required parameter "client_secret" is missing.
        if text.containsBytes("\"client_secret\" is missing") { return true }
        let error = call.answer.error?.error
        // Salesforce's name for a client_id that it does not find.
        let isUnnamed = error == "invalid_client_id" && call.authentication.clientID == nil
        guard call.isClientRefused || isUnnamed || error == "unauthorized_client" else { return false }
        // Whom nobody named nobody knows.
        let isUnknown = call.isSaidToBeUnknown || wordsOfUnknown.contains(where: text.containsBytes)
        return (call.namesNobody || !isUnknown) && !otherReasons.contains(where: text.containsBytes)
    }

    /// Registered with a certificate, or at a provider or a host that takes nothing else.
    private static func mayShowCertificate(_ call: ClientCall, _ provider: ProviderFacts, _ flow: Flow)
        -> Bool
    {
        MutualTLS.isRegistered(call, in: flow) || MutualTLS.isOnlyMethod(at: call.endpoint, provider)
            || MutualTLS.isNamed(by: call.endpoint)
    }

    /// Words that ask for credentials.
    private static let demands = [
        "client_secret is missing", "client secret is missing", "missing client_secret",
        "missing client secret", "'client_assertion' or 'client_secret'", "aadsts7000218",
        "client_secret is required", "client secret is required", "client_secret required",
        "missing parameter: client_secret", "missing required parameter: client_secret",
        "client authentication required", "client authentication is required",
        "client credentials are required", "no client authentication", "missing client authentication",
        "missing client credentials",
    ]

    /// Words of a client that is not there.
    private static let wordsOfUnknown = [
        "not found", "could not be found", "does not exist", "unknown client", "no such client",
        "invalid client_id", "invalid client id",
    ]
    /// Words that name something else than credentials.
    private static let otherReasons = [
        "disabled", "inactive", "deactivated", "deleted", "redirect", "grant",
        "verifier", "pkce", "proof key", "scope", "dpop", "origin", "certificate", "response type",
        "response_type",
    ]
}
