import Captures
import JOSE
import JSON
import OAuth

/// Tokens that are no grant's: userinfo that is one, and the notice of a logout.
extension TokenMint {
    /// Userinfo as its client registered to have it: an object, or that signed, encrypted, or both (OpenID Connect Core, section
    /// 5.3.2).
    func userInfoContent(_ claims: JSONObject) -> BuiltAnswer.Content {
        var envelope = client?.envelopes["userinfo"]
        guard let algorithm = client?.userInfoAlgorithm else {
            guard envelope != nil else { return .object(claims) }
            envelope?["cty"] = nil
            var token = unsigned(header: JSONObject(), claims: claims, envelope: envelope)
            token.isSealedAlone = true
            return .token(token, mediaType: Self.tokenType)
        }
        var signed = claims
        signed["iss"] = .string(issuer)
        signed["aud"] = .string(clientID)
        let token = unsigned(
            header: standardHeader(algorithm),
            claims: signed,
            envelope: envelope
        )
        return .token(token, mediaType: Self.tokenType)
    }

    private static let tokenType = "application/jwt"

    /// What a client is told of the end of a session by (Back-Channel Logout, section 2.4);
    /// it has no nonce, so that nobody takes it for an ID token.
    func logoutToken(
        for reader: ProviderState.Session.Reader,
        _ user: ProviderConfiguration.User
    ) -> UnsignedToken {
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": .string(user.subject),
            "aud": .string(reader.clientID), "iat": JSONValue(now.seconds),
            "exp": JSONValue(now.seconds + 120), "jti": .string(Base64URL.encode(random(12))),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        if let name = reader.sessionName { claims["sid"] = .string(name) }
        var header = standardHeader
        header["typ"] = "logout+jwt"
        return unsigned(
            header: header,
            claims: claims,
            envelope: client?.envelopes["id_token"]
        )
    }
}
