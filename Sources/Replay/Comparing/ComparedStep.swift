import Captures
import Flows
import OAuth

/// A step as it is compared: what is repeated until it comes to something is one.
struct ComparedStep {
    var step: Step
    /// The message it was read from; nil for a page of the provider.
    var message: OAuthMessage?
    var exchange: Exchange
    /// What came before and does not count, in words: `after 2 answers authorization_pending`.
    var remarks: [String] = []

    var kind: StepKind { step.kind }
    var index: Int { step.exchange }

    /// The app's half of it is not to be compared.
    var isWithoutApp = false

    /// The authorization response as it stands in the provider's redirect: the app's address is one that only the
    /// system can reach, or the app is left out.
    var isSeenInRedirect: Bool {
        guard case .authorizationResponse(let response) = message else { return false }
        return isWithoutApp || response.callback == nil
    }

    var answer: Answer? {
        switch message {
        case .discovery(let document): document.answer
        case .keySet(let document): document.answer
        case .token(let request): request.answer
        case .backChannelLogout(let delivery): delivery.answer
        case .registration(let call), .pushedRequest(let call), .userInfo(let call), .introspection(let call),
            .revocation(let call), .endSession(let call), .frontChannelLogout(let call),
            .deviceAuthorization(let call), .resource(let call), .identityAssertion(let call),
            .clientConfiguration(let call), .backchannelAuthentication(let call):
            call.answer
        case .authorizationRequest, .authorizationResponse, nil: nil
        }
    }

    var authentication: ClientAuthentication? {
        switch message {
        case .token(let request): request.authentication
        case .pushedRequest(let call), .introspection(let call), .revocation(let call),
            .deviceAuthorization(let call), .backchannelAuthentication(let call):
            call.authentication
        default: nil
        }
    }

    /// Metadata and keys: read once and kept, or read every time.
    var isDocument: Bool { kind == .discovery || kind == .jwks || kind == .resourceMetadata }

    var isFailed: Bool { (exchange.response?.status ?? 599) >= 400 }

    /// Method, address and status in one line.
    var summary: String { "\(exchange.request.method) \(exchange.request.url.shown)" }
}
