package import Captures

/// A protocol message read out of an exchange.
///
/// Says what was sent; judges nothing. Indirect: a document that a thousand logins share is one in memory.
package indirect enum OAuthMessage: Sendable {
    case discovery(MetadataDocument)
    case keySet(KeySetDocument)
    case registration(EndpointCall)
    /// A client reads, changes or deletes its registration (RFC 7592, section 2).
    case clientConfiguration(EndpointCall)
    case pushedRequest(EndpointCall)
    case authorizationRequest(AuthorizationRequest)
    case authorizationResponse(AuthorizationResponse)
    case identityAssertion(EndpointCall)
    case token(TokenRequest)
    case userInfo(EndpointCall)
    case introspection(EndpointCall)
    case revocation(EndpointCall)
    case endSession(EndpointCall)
    case backChannelLogout(LogoutTokenDelivery)
    case frontChannelLogout(EndpointCall)
    case deviceAuthorization(EndpointCall)
    /// A client asks that a user signs in on a device of their own (OpenID Connect CIBA, section 7).
    case backchannelAuthentication(EndpointCall)
    case resource(EndpointCall)

    /// The (first) exchange it was read from.
    package var exchange: Int {
        switch self {
        case .discovery(let document): document.exchange
        case .keySet(let document): document.exchange
        case .authorizationRequest(let request): request.exchange
        case .authorizationResponse(let response): response.exchange
        case .token(let request): request.exchange
        case .backChannelLogout(let delivery): delivery.exchange
        case .registration(let call), .pushedRequest(let call), .userInfo(let call), .introspection(let call),
            .revocation(let call), .endSession(let call), .frontChannelLogout(let call),
            .deviceAuthorization(let call), .resource(let call), .identityAssertion(let call),
            .clientConfiguration(let call), .backchannelAuthentication(let call):
            call.exchange
        }
    }

    /// The endpoint that was asked, with the query that belongs to it; nil of metadata and resources, of what goes to the app, and
    /// where a client has an address of its own.
    package var endpoint: RecordedURL? {
        switch self {
        case .keySet(let document): document.endpoint
        case .authorizationRequest(let request): request.endpoint
        case .token(let request): request.endpoint
        case .registration(let call), .pushedRequest(let call), .userInfo(let call), .introspection(let call),
            .revocation(let call), .endSession(let call), .deviceAuthorization(let call),
            .backchannelAuthentication(let call):
            call.endpoint
        case .discovery, .authorizationResponse, .backChannelLogout, .frontChannelLogout, .resource,
            .identityAssertion, .clientConfiguration:
            nil
        }
    }

    /// Where the request went, with no more of its query than belongs to the address: that of an endpoint (RFC 6749, section 3.2), of a
    /// client's registration (RFC 7592, section 3), of metadata; nil of resources, and of what goes to the app.
    package var address: RecordedURL? {
        switch self {
        case .clientConfiguration(let call): call.endpoint
        case .discovery(let document): document.url
        default: endpoint
        }
    }

    /// A call with an access token, at the endpoint for userinfo or of a resource; nil for other messages.
    package var protectedCall: EndpointCall? {
        switch self {
        case .userInfo(let call), .resource(let call): call
        default: nil
        }
    }

    /// Whether the answer is the same for everybody: metadata, or keys.
    package var isPublished: Bool {
        switch self {
        case .discovery, .keySet: true
        default: false
        }
    }
}
