package import Captures
package import JOSE
package import OAuth

/// What a step of a flow is, in the words of the specifications; raw values are those of the JSON.
package enum StepKind: String, Sendable, Hashable, CaseIterable {
    case discovery
    case jwks
    case clientRegistration = "client_registration"
    case clientReadRequest = "client_read_request"
    case clientUpdateRequest = "client_update_request"
    case clientDeleteRequest = "client_delete_request"
    case pushedAuthorizationRequest = "pushed_authorization_request"
    case authorizationRequest = "authorization_request"
    case authorizationResponse = "authorization_response"
    case identityAssertionRequest = "identity_assertion_request"
    case tokenRequest = "token_request"
    case refreshRequest = "refresh_request"
    case userInfoRequest = "userinfo_request"
    case introspectionRequest = "introspection_request"
    case revocationRequest = "revocation_request"
    case endSessionRequest = "end_session_request"
    case backChannelLogoutRequest = "backchannel_logout_request"
    case frontChannelLogoutRequest = "frontchannel_logout_request"
    case deviceAuthorizationRequest = "device_authorization_request"
    case backchannelAuthenticationRequest = "backchannel_authentication_request"
    case resourceMetadata = "resource_metadata"
    case resourceRequest = "resource_request"
    case userInteraction = "user_interaction"

    /// What a message is as a step.
    package init(of message: OAuthMessage) {
        self =
            switch message {
            case .discovery(let document): document.isProtectedResource ? .resourceMetadata : .discovery
            case .keySet: .jwks
            case .registration: .clientRegistration
            case .clientConfiguration(let call):
                switch call.method {
                case "DELETE": .clientDeleteRequest
                case "PUT": .clientUpdateRequest
                default: .clientReadRequest
                }
            case .pushedRequest: .pushedAuthorizationRequest
            case .authorizationRequest: .authorizationRequest
            case .authorizationResponse: .authorizationResponse
            case .identityAssertion: .identityAssertionRequest
            case .token(let request): request.isRefresh ? .refreshRequest : .tokenRequest
            case .userInfo: .userInfoRequest
            case .introspection: .introspectionRequest
            case .revocation: .revocationRequest
            case .endSession: .endSessionRequest
            case .backChannelLogout: .backChannelLogoutRequest
            case .frontChannelLogout: .frontChannelLogoutRequest
            case .deviceAuthorization: .deviceAuthorizationRequest
            case .backchannelAuthentication: .backchannelAuthenticationRequest
            case .resource: .resourceRequest
            }
    }
}

extension StepKind {
    /// Whether it is about a client's registration (RFC 7591, section 3; RFC 7592, section 2).
    package var isOfRegistration: Bool {
        switch self {
        case .clientRegistration, .clientReadRequest, .clientUpdateRequest, .clientDeleteRequest: true
        default: false
        }
    }
}

/// Who sends or receives: a lane of the timeline.
package struct Participant: Sendable, Hashable {
    /// What somebody is in a login; `app` is the part of the client that answers at the redirect URI.
    package enum Role: String, Sendable, Hashable {
        case browser
        case backend
        case app
        case provider
        case resource
    }

    /// Which lane it is.
    package var role: Role
    /// The client's process where the recorder knew it, else the role.
    package var name: String

    init(role: Role, name: String? = nil) {
        self.role = role
        self.name = name ?? role.rawValue
    }
}

/// One message of a flow.
package struct Step: Sendable {
    /// What it is, by its message.
    package var kind: StepKind
    /// Where it is told; several steps may share an exchange.
    package var exchange: Int
    /// When its exchange began; for an answer that only the redirect shows, when that was over.
    package var at: Timestamp
    /// Who sent it.
    package var from: Participant
    /// Whom it was for.
    package var to: Participant
    /// What was sent; of metadata what was answered.
    package var parameters: Parameters
    /// Of its answer, or in the answer to a login.
    package var tokens: [StepToken]
}

/// A token that travels in a step.
package struct StepToken: Sendable {
    /// The parameter or member that carries it.
    package var name: String
    /// What can be read of it: of an encrypted one that a key of the capture opens what is inside.
    package var token: JSONWebToken
    /// The encrypted token that it was inside; nil where it came as it is, or stayed closed.
    package var envelope: JSONWebToken?
    /// By the keys that the capture has of its issuer.
    package var signature: SignatureOutcome
    /// How that came out, one by one.
    package var checks: [TokenCheck]
}
