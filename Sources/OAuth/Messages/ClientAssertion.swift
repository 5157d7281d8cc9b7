package import Captures
package import JOSE
import JSON

/// A signed statement by which a client proves who it is (RFC 7523, section 2.2; OpenID Connect Core, section
/// 9).
package struct ClientAssertion: Sendable, Hashable {
    /// `client_assertion_type` of the statements read here.
    package static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Signed or encrypted.
    package var token: JSONWebToken
    /// Of the parameter that carried it.
    var place: Place

    /// Nil where the value has not the shape of a token.
    package init?(_ parameter: Parameter) {
        guard let token = JSONWebToken.parse(parameter.value) else { return nil }
        self.token = token
        place = parameter.place
    }

    /// `jti`.
    package var identifier: String? { token.claim("jti")?.string }

    /// What tells this statement from every other: issuer and `jti`, else its whole text.
    package var key: String { identifier.map { "\(token.issuer ?? "") \($0)" } ?? token.text }

    /// Thumbprint of the key that the client says its proofs are made with (RFC 7800, section 3.1).
    package var boundKey: String? { token.claim("cnf")?["jkt"]?.string }

    /// The place of a claim.
    package func place(ofClaim name: String) -> Place {
        Place(exchange: place.exchange, part: .jwtClaims, name: name)
    }

    /// The place of a header member.
    package func place(ofHeader name: String) -> Place {
        Place(exchange: place.exchange, part: .jwtHeader, name: name)
    }
}
