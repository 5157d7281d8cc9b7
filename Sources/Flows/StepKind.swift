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
    case clientNotification = "client_notification"
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
