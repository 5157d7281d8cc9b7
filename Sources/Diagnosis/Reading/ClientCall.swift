import Captures
import Flows
import OAuth

/// A request at which a client has to prove who it is: token, pushed request, revocation, introspection.
struct ClientCall {
    var exchange: Int
    var parameters: Parameters
    var authentication: ClientAuthentication
    var answer: Answer
    /// What is called, to tell a repetition of the same call from another one.
    var purpose: String

    /// In the order of time.
    static func all(in flow: Flow) -> [ClientCall] {
        flow.messages.compactMap { message in
            switch message {
            case .token(let request):
                ClientCall(
                    exchange: request.exchange,
                    parameters: request.parameters,
                    authentication: request.authentication,
                    answer: request.answer,
                    purpose: "token \(request.code ?? request.refreshToken ?? request.grantType)"
                )
            case .pushedRequest(let call): ClientCall(call, "par")
            case .revocation(let call): ClientCall(call, "revocation \(call.parameters["token"] ?? "")")
            case .introspection(let call): ClientCall(call, "introspection \(call.parameters["token"] ?? "")")
            default: nil
            }
        }
    }

    private init(_ call: EndpointCall, _ purpose: String) {
        self.init(
            exchange: call.exchange,
            parameters: call.parameters,
            authentication: call.authentication,
            answer: call.answer,
            purpose: purpose
        )
    }

    private init(
        exchange: Int,
        parameters: Parameters,
        authentication: ClientAuthentication,
        answer: Answer,
        purpose: String
    ) {
        self.exchange = exchange
        self.parameters = parameters
        self.authentication = authentication
        self.answer = answer
        self.purpose = purpose
    }

    /// Whether it was the client that was refused: `invalid_client`, or 401 that names no other fault.
    var isClientRefused: Bool {
        guard answer.isRefusal else { return false }
        switch answer.error?.error {
        case "invalid_client": return true
        case "use_dpop_nonce", "invalid_dpop_proof", "invalid_grant", "invalid_token", "insufficient_scope",
            "invalid_code":
            return false
        default: return answer.status == 401
        }
    }
}
