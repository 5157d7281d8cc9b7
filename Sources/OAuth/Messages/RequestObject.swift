import Captures
package import JOSE

/// Parameters of an authorization request as the claims of a token (RFC 9101, section 4; OpenID Connect Core,
/// section 6).
package struct RequestObject: Sendable {
    /// The `request` parameter that carries it.
    package var parameter: Parameter
    /// Nil where the value has not the shape of a token.
    package var token: JSONWebToken?

    /// Nil where the parameters hold none.
    package init?(in parameters: Parameters) {
        guard let parameter = parameters.parameter("request"), !parameter.value.isEmpty else { return nil }
        self.parameter = parameter
        token = JSONWebToken.parse(parameter.value)
    }

    /// Whether its parameters are there to be read; encrypted ones are the provider's alone.
    package var isReadable: Bool { token?.claims != nil }

    /// The claims as parameters; none where it cannot be read.
    var claims: Parameters {
        guard let exchange = parameter.place.exchange, let claims = token?.claims else { return Parameters() }
        return Parameters(claims, of: exchange, in: .jwtClaims)
    }
}

extension Parameters {
    /// With those of the request object among them in front, for what stands outside of it counts only where
    /// it says nothing (RFC 9101, section 6.3, is stricter; many providers are not).
    package var openingRequestObject: Parameters {
        RequestObject(in: self).map { $0.claims.merged(with: self) } ?? self
    }
}
