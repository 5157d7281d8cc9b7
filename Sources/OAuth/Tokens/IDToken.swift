package import Captures
package import JOSE
import JSON

/// An ID token (OpenID Connect Core, section 2) with the place it came in.
package struct IDToken: Sendable, Hashable {
    /// The token that claims are read from.
    package var token: JSONWebToken
    /// Of the parameter that carried it.
    package var place: Place
    /// The encrypted token that it was inside; nil where it came as it is, or stayed closed.
    package var envelope: JSONWebToken?

    /// Nil where the value has not the shape of a token.
    package init?(_ parameter: Parameter) {
        guard let token = JSONWebToken.parse(parameter.value) else { return nil }
        self.token = token
        place = parameter.place
    }

    /// With what was inside in its place.
    package func opened(_ inner: JSONWebToken) -> IDToken {
        var copy = self
        copy.envelope = token
        copy.token = inner
        return copy
    }

    /// `nonce`, if it is a string.
    package var nonce: String? { token.claim("nonce")?.string }
    /// `at_hash` (section 3.1.3.6).
    package var accessTokenHash: String? { token.claim("at_hash")?.string }
    /// `c_hash` (section 3.3.2.11).
    package var codeHash: String? { token.claim("c_hash")?.string }

    /// The place of a claim.
    package func place(ofClaim name: String) -> Place {
        Place(exchange: place.exchange, part: .jwtClaims, name: name)
    }

    /// The place of a header member.
    package func place(ofHeader name: String) -> Place {
        Place(exchange: place.exchange, part: .jwtHeader, name: name)
    }
}
