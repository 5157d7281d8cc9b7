package import Captures
import OAuth

/// What an answer of a provider is about: the occasions that faults wait for.
package enum AnswerKind: String, Sendable, CaseIterable {
    case metadata
    case keySet = "key_set"
    case authorizationResponse = "authorization_response"
    /// The first tokens of a login, or those of a client that acts for itself.
    case tokenResponse = "token_response"
    /// What a poll with a device code is answered (RFC 8628, section 3.5).
    case deviceTokens = "device_tokens"
    case refreshResponse = "refresh_response"
    case userInfo = "userinfo"
    case pushedRequest = "pushed_request"
    case registration
    case endSession = "end_session"
    /// Pages, and everything beside the protocol.
    case other

    /// The answers that first tokens come in.
    static let firstTokens: Set<AnswerKind> = [.tokenResponse, .deviceTokens]
    static let allTokens: Set<AnswerKind> = [.tokenResponse, .deviceTokens, .refreshResponse]

    /// As in "this login has no …".
    package var words: String {
        switch self {
        case .metadata: "metadata"
        case .keySet: "keys"
        case .authorizationResponse: "authorization response"
        case .tokenResponse: "token response"
        case .deviceTokens: "tokens for a device"
        case .refreshResponse: "refresh"
        case .userInfo: "userinfo"
        case .pushedRequest: "pushed request"
        case .registration: "registration"
        case .endSession: "logout"
        case .other: "page"
        }
    }

    init(_ context: FaultContext, _ answer: BuiltAnswer) {
        if case .authorization = answer.content {
            self = .authorizationResponse
        } else if context.isMetadata {
            self = .metadata
        } else {
            switch context.role {
            case .keys: self = .keySet
            case .token where context.grantType == "refresh_token": self = .refreshResponse
            case .token where context.grantType == GrantType.deviceCode: self = .deviceTokens
            case .token: self = .tokenResponse
            case .userInfo: self = .userInfo
            case .pushedRequest: self = .pushedRequest
            case .registration: self = .registration
            case .endSession: self = .endSession
            default: self = .other
            }
        }
    }
}

/// A provider's answer, with what its faults had to do with it.
package struct ProviderAnswer: Sendable {
    package var response: RecordedResponse
    package var kind: AnswerKind
    /// Why a page refuses, in words for whoever runs the provider.
    package var explanation: String?
    /// Faults of the policy that made it wrong, by name.
    package var broken: Set<String> = []
    /// Faults that were only asked about, and would have.
    package var occasions: Set<String> = []
    /// What the provider has to say to others because of it.
    package var notices: [ProviderNotice] = []

    package init(
        response: RecordedResponse,
        kind: AnswerKind,
        explanation: String? = nil,
        broken: Set<String> = [],
        occasions: Set<String> = [],
        notices: [ProviderNotice] = []
    ) {
        self.response = response
        self.kind = kind
        self.explanation = explanation
        self.broken = broken
        self.occasions = occasions
        self.notices = notices
    }
}
