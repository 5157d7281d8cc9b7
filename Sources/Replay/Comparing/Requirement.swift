import Captures
import Flows

/// What the specifications require of every provider, so that it has to be the same at another one.
enum Requirement {
    /// Whether a difference counts between two providers.
    ///
    /// `isPresent`: both have the value, and it is not the same; else one of them has none.
    static func isRequired(_ fact: Fact, isPresent: Bool, in kind: StepKind) -> Bool {
        if kind.isOfRegistration { return false }
        switch kind {
        case .userInteraction, .jwks: return false
        // Whether a client asks or is told, and what, each provider has in its own settings.
        case .clientNotification: return isPresent && fact.key.name == "error"
        case .discovery, .resourceMetadata:
            return !isPresent && metadata.contains(fact.key.name) || isVerdict(fact)
        case .authorizationResponse where fact.place.part != .responseStatus:
            return answers.contains(fact.key.name) || !fact.key.token.isEmpty && isRequiredInToken(fact)
        default: break
        }
        switch fact.place.part {
        // Where a provider has its endpoints is its own affair, and so are its cookies and its clock.
        case .requestURL: return fact.key.aspect == "response_mode" || fact.key.name == "method"
        case .requestCookie, .responseHeader, .tls, .timing: return fact.key.name == "WWW-Authenticate"
        case .requestHeader: return fact.key.aspect != "client authentication"
        case .responseStatus: return true
        case .responseLocation: return answers.contains(fact.key.name)
        case .responseBody:
            if fact.key.token.isEmpty, fact.key.name == "access_token", !fact.key.aspect.isEmpty {
                return false
            }
            if fact.key.name == "id_token", fact.key.aspect == "form" { return false }
            return required[kind]?.contains(fact.key.name) ?? false
        // A refreshed ID token should have no nonce, and may have that of its login (OpenID Connect Core, section 12.2).
        case .jwtClaims
        where kind == .refreshRequest && !isPresent && fact.key.token == "id_token"
            && fact.key.name == "nonce":
            return false
        case .jwtHeader, .jwtClaims: return isRequiredInToken(fact)
        default: return true
        }
    }

    private static func isRequiredInToken(_ fact: Fact) -> Bool {
        guard fact.place.part == .jwtClaims, fact.key.token == "id_token" else { return isOfClient(fact) }
        return fact.key.aspect.isEmpty ? claims.contains(fact.key.name) : fact.key.aspect != "lifetime"
    }

    /// Steps that one provider's login has and another's has not.
    static func mayBeMissing(_ kind: StepKind) -> Bool {
        switch kind {
        case .userInteraction, .discovery, .jwks, .resourceMetadata, .clientNotification: true
        default: kind.isOfRegistration
        }
    }

    private static func isVerdict(_ fact: Fact) -> Bool { fact.place.part == .responseStatus }

    /// Tokens that the client makes are the same wherever it sends them.
    static func isOfClient(_ fact: Fact) -> Bool {
        ["client_assertion", "assertion", "request", "DPoP"].contains(fact.key.token)
    }

    /// OpenID Connect Discovery, section 3; RFC 8414, section 2.
    private static let metadata: Set<String> = [
        "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
    ]

    /// RFC 6749, sections 4.1.2 and 4.2.2.
    private static let answers: Set<String> = [
        "code", "state", "error", "access_token", "id_token", "token_type", "response",
    ]

    private static let required: [StepKind: Set<String>] = [
        .tokenRequest: ["error", "access_token", "token_type", "id_token"],
        .refreshRequest: ["error", "access_token", "token_type"],
        .userInfoRequest: ["error", "sub"],
        .pushedAuthorizationRequest: ["error", "request_uri", "expires_in"],
        .introspectionRequest: ["error", "active"],
        .revocationRequest: ["error"],
        .deviceAuthorizationRequest: ["error", "device_code", "user_code", "verification_uri", "expires_in"],
    ]

    /// OpenID Connect Core, section 2; `sub` is the provider's own.
    private static let claims: Set<String> = ["iss", "aud", "exp", "iat", "nonce"]
}
