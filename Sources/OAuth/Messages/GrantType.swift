/// Values of `grant_type` that are URNs, as they are registered with IANA.
package enum GrantType {
    /// RFC 8628, section 3.4.
    package static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    /// OpenID Connect CIBA, section 10.1.
    package static let ciba = "urn:openid:params:grant-type:ciba"
    /// RFC 8693, section 2.1.
    package static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// RFC 7523, section 2.1.
    package static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// OpenID for Verifiable Credential Issuance, section 4.1.1.
    package static let preAuthorizedCode = "urn:ietf:params:oauth:grant-type:pre-authorized_code"
    /// RFC 7522, section 2.1.
    package static let saml2Bearer = "urn:ietf:params:oauth:grant-type:saml2-bearer"

    /// Those that are given for a token or a signed statement, with the parameter that carries it.
    package static let exchanged = [tokenExchange: "subject_token", jwtBearer: "assertion"]

    /// Those whose user decides on another device while the client polls.
    package static let decoupled: Set<String> = [deviceCode, ciba]
}
