import Captures
import Flows
import OAuth

/// A request at which a client has to prove who it is: token, pushed request, device authorization, revocation,
/// introspection.
struct ClientCall {
    /// The raw values are what the endpoints are called.
    enum Kind: String {
        case token
        case pushedRequest = "pushed authorization request"
        case deviceAuthorization = "device authorization"
        case backchannelAuthentication = "backchannel authentication"
        case revocation
        case introspection
    }

    var kind: Kind
    var exchange: Int
    /// Without the query.
    var endpoint: RecordedURL
    var parameters: Parameters
    var authentication: ClientAuthentication
    var answer: Answer
    /// What is called, to tell a repetition of the same call from another one.
    var purpose: String
    /// Whether a later call for the same purpose went well, or, of a poll that the provider could not serve, was answered.
    var isRepaired = false
    /// Whether it brings a code that the provider issued to this very client, or to one that was not recorded.
    var isOfIssuedCode = false
    /// Whether it asks what the user decided on another device.
    var isDecidedElsewhere = false
    /// Whether it was refused for the service that a token was asked for, for the user, or by what stands in front of the
    /// endpoint, and not for the client.
    var isRefusedForOthers = false

    /// In the order of time.
    static func all(in flow: Flow) -> [ClientCall] {
        flow.derived.value { ClientCalls(list: read(in: flow)) }.list
    }

    private static func read(in flow: Flow) -> [ClientCall] {
        var calls = made(in: flow)
        let issued = flow.logins.reduce(into: [String: String?]()) { clients, login in
            if let code = login.response?.code { clients[code] = .some(login.request.clientID) }
        }
        // Who never saw the request refused nobody.
        let unseen = flow.derived.value { CallsRefusedInFront(among: calls, in: flow) }.exchanges
        for index in calls.indices where unseen.contains(calls[index].exchange) {
            calls[index].isRefusedForOthers = true
        }
        var succeeded: Set<String> = []
        var answered: Set<String> = []
        for index in calls.indices.reversed() {
            let call = calls[index]
            calls[index].isRepaired =
                succeeded.contains(call.purpose) || call.isUnserved && answered.contains(call.purpose)
            if call.answer.isSuccess { succeeded.insert(call.purpose) }
            // Whatever who polls is told is an answer: that its user has not decided, too.
            if call.isDecidedElsewhere, !call.isUnserved { answered.insert(call.purpose) }
            guard call.kind == .token, call.parameters["grant_type"] == "authorization_code",
                let code = call.parameters["code"], !code.isEmpty
            else { continue }
            // Where the half of the browser was not recorded, it is the code that tells of a login before.
            calls[index].isOfIssuedCode =
                issued[code].map(call.authentication.mayBe) ?? flow.logins.isEmpty
        }
        return calls
    }

    /// As they were sent, each by itself.
    private static func made(in flow: Flow) -> [ClientCall] {
        flow.messages.compactMap { message in
            switch message {
            case .token(let request):
                ClientCall(
                    kind: .token,
                    exchange: request.exchange,
                    endpoint: request.endpoint,
                    parameters: request.parameters,
                    authentication: request.authentication,
                    answer: request.answer,
                    purpose: "token \(request.code ?? request.refreshToken ?? request.grantType)",
                    isDecidedElsewhere: request.isDecidedElsewhere,
                    isRefusedForOthers: request.isTargetRefused || request.isSubjectForOthers
                        || request.isPasswordRefused
                )
            case .pushedRequest(let call): ClientCall(.pushedRequest, call, "par")
            case .deviceAuthorization(let call): ClientCall(.deviceAuthorization, call, "device")
            case .backchannelAuthentication(let call):
                ClientCall(.backchannelAuthentication, call, "backchannel authentication")
            case .revocation(let call):
                ClientCall(.revocation, call, "revocation \(call.parameters["token"] ?? "")")
            case .introspection(let call):
                ClientCall(.introspection, call, "introspection \(call.parameters["token"] ?? "")")
            default: nil
            }
        }
    }

    /// Whether the provider had no answer to it, or not now.
    private var isUnserved: Bool {
        guard let status = answer.status else { return true }
        return status >= 500 || status == 429
            || answer.error.map { ["server_error", "temporarily_unavailable"].contains($0.error) } ?? false
    }

    private init(_ kind: Kind, _ call: EndpointCall, _ purpose: String) {
        self.init(
            kind: kind,
            exchange: call.exchange,
            endpoint: call.endpoint,
            parameters: call.parameters,
            authentication: call.authentication,
            answer: call.answer,
            purpose: purpose
        )
    }

    private init(
        kind: Kind,
        exchange: Int,
        endpoint: RecordedURL,
        parameters: Parameters,
        authentication: ClientAuthentication,
        answer: Answer,
        purpose: String,
        isDecidedElsewhere: Bool = false,
        isRefusedForOthers: Bool = false
    ) {
        self.kind = kind
        self.exchange = exchange
        self.endpoint = endpoint
        self.parameters = parameters
        self.authentication = authentication
        self.answer = answer
        self.purpose = purpose
        self.isDecidedElsewhere = isDecidedElsewhere
        self.isRefusedForOthers = isRefusedForOthers
    }

    /// The statement that proves the client, where it can be read and is the client's own.
    var assertion: ClientAssertion? {
        isAttested ? nil : authentication.assertion.flatMap { ClientAssertion($0) }
    }

    /// Whether what it brings is a statement that others make of the client, that it is the app itself on a real device: its issuer,
    /// subject and audience are theirs (draft-ietf-oauth-attestation-based-client-auth; Curity).
    var isAttested: Bool {
        parameters["client_assertion_type"]?.hasSuffix(":jwt-client-attestation") ?? false
    }

    /// Whether it was refused for what it says of the client, or may have been: not for the grant, the scope,
    /// a proof or the load.
    var mayBlameClient: Bool {
        guard let status = answer.status, answer.isRefusal, status < 500, status != 429,
            !isRefusedForOthers, AccessPolicy.words(in: answer) == nil
        else { return false }
        guard let error = answer.error?.error else { return ![404, 405, 413, 415].contains(status) }
        // Under a general name, by its words.
        if answer.error?.standardName == "invalid_grant" { return false }
        // Auth0's word for a client that does not prove itself; of a user's no 403 or 400 is said.
        if error == "access_denied", status == 401 { return !isDecidedElsewhere }
        // What a client may not have is the grant, which nobody has brought yet.
        if kind == .deviceAuthorization || kind == .backchannelAuthentication, error == "unauthorized_client"
        {
            return false
        }
        return !Self.otherFaults.contains(error) && !Self.ofStaleAttestation.contains(error)
    }

    /// Refusals for what attests the app: nobody has looked at the grant yet (draft-ietf-oauth-attestation-based-client-auth).
    static let ofAttestation = ofStaleAttestation.union(["invalid_client_attestation"])
    /// Those that ask for a new attestation, or for a challenge in it, and find nothing wrong with the client.
    private static let ofStaleAttestation: Set<String> = [
        "use_attestation_challenge", "use_fresh_attestation",
    ]

    private static let otherFaults: Set<String> = [
        "invalid_code", "bad_verification_code", "misconfigured", "invalid_scope", "unsupported_grant_type",
        "invalid_target", "invalid_redirect_uri", "redirect_uri_mismatch", "use_dpop_nonce",
        "invalid_dpop_proof", "authorization_pending", "slow_down", "access_denied", "expired_token",
        "server_error", "temporarily_unavailable", "insufficient_scope", "unsupported_response_type",
        "unsupported_response_mode", "invalid_request_object", "invalid_request_uri",
        "invalid_authorization_details",
        "login_required", "interaction_required", "consent_required",
        // OpenID Connect CIBA, sections 11 and 13.
        "unknown_user_id", "expired_login_hint_token", "missing_user_code", "invalid_user_code",
        "invalid_binding_message", "transaction_failed",
    ]

    /// Whether the capture lacks the words in which it was refused.
    var isRefusedUnseen: Bool { answer.isRefusal && answer.error == nil && !answer.isBodyRecorded }

    /// How severe a fault of this call's credentials is: it was refused for them, or was let in.
    var severity: Severity { mayBlameClient ? (isRepaired ? .note : .error) : .warning }

    /// Whether it has nothing to know the client by: neither its name nor a proof.
    var namesNobody: Bool { authentication.methods == [.none] && authentication.clientID == nil }

    /// Whether the provider says that it has no such client, and not as one of several reasons.
    var isSaidToBeUnknown: Bool {
        let text = answer.errorText
        // Salesforce's name for it is that of a client_id that was left out, too.
        if authentication.clientID != nil,
            ClientIDRefusal.textsForClients.contains(where: text.containsBytes)
        {
            return true
        }
        return RefusalWording.unknownClient(in: text) != nil
            && !["authentication", "secret", "credential"].contains(where: text.containsBytes)
    }

    /// Whether it was the client that was refused: `invalid_client`, or 401 that names no other fault.
    ///
    /// `unauthorized_client` speaks of the grant (RFC 6749, section 5.2). Who was given a code may use it, though:
    /// without words to the contrary, the provider then means that it does not know the client by what it sent.
    var isClientRefused: Bool {
        guard answer.isRefusal, !isRefusedForOthers, answer.error?.standardName != "invalid_grant" else {
            return false
        }
        switch answer.error?.standardName {
        // Entra's name for a redirect URI that does not match, too.
        case "invalid_client": return !answer.errorText.containsBytes("aadsts50011")
        case "unauthorized_client" where isOfIssuedCode && (answer.error?.description ?? "").isEmpty:
            return true
        case "unauthorized_client" where answer.speaksOfGrant ?? false: return false
        // eSignet's name for a client that does not prove itself.
        case "invalid_assertion" where authentication.assertion != nil: return true
        case "use_dpop_nonce", "invalid_dpop_proof", "invalid_token", "insufficient_scope",
            "invalid_code":
            return false
        case let error? where Self.ofStaleAttestation.contains(error): return false
        case "access_denied" where isDecidedElsewhere: return false
        // Kakao, of the platform that an app is registered for.
        case "misconfigured": return false
        // Shopify and MyInfo refuse a code with 401.
        default: return answer.status == 401 && !answer.speaksOfCode && !answer.speaksOfVerifier
        }
    }
}

/// Those of a flow, read once: every rule about what a client proves itself with goes over them.
private struct ClientCalls: Sendable {
    let list: [ClientCall]
}

/// The calls of a flow that something in front of the endpoint refused, read once for all that ask.
private struct CallsRefusedInFront: Sendable {
    let exchanges: Set<Int>

    init(among calls: [ClientCall], in flow: Flow) {
        exchanges = Set(
            calls.lazy.filter { $0.answer.isRefusal && $0.answer.error == nil }.map(\.exchange).filter {
                FrontRefusal(of: $0, in: flow) != nil
            }
        )
    }
}
