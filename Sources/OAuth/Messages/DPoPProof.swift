package import Captures
package import JOSE
import JSON
import LibCrypto

/// A proof that the sender of a request holds a key (RFC 9449, section 4.2): the JWT of the `DPoP` header.
package struct DPoPProof: Sendable, Hashable {
    /// The proof itself.
    package var token: JSONWebToken
    /// The request that it was sent with.
    var exchange: Int

    /// Nil where the request has no such header, or something else in it.
    package init?(of request: RecordedRequest, exchange: Int) {
        guard let text = request.headers.first("dpop"), let token = JSONWebToken.parse(text) else {
            return nil
        }
        self.token = token
        self.exchange = exchange
    }

    /// `htm`: the method that it is for.
    package var method: String? { token.claim("htm")?.string }
    /// `htu`: the address that it is for, without query and fragment.
    package var url: String? { token.claim("htu")?.string }
    /// `jti`, which no two have in common.
    package var identifier: String? { token.claim("jti")?.string }
    /// `ath`: the hash of the token that is sent along.
    package var accessTokenHash: String? { token.claim("ath")?.string }
    /// `nonce` that the server gave out (section 8).
    package var nonce: String? { token.claim("nonce")?.string }

    /// The key that made it, by its own word.
    package var key: JSONWebKey? { (token.header?["jwk"]?.object).map(JSONWebKey.init(json:)) }

    /// SHA-256 thumbprint of that key (RFC 7638), which tokens are bound to (section 6.1).
    package var thumbprint: String? { key?.thumbprint }

    /// Whether its own key made the signature; nil where the algorithm or the key is not known here.
    package var isSignedByItsKey: Bool? {
        guard !token.isSignatureTakenOut, let key,
            let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)),
            let scheme = algorithm.scheme, key.type == algorithm.keyType
        else { return nil }
        guard let publicKey = try? key.publicKey() else { return nil }
        return publicKey.verifies(token.signature, of: token.signingInput, scheme)
    }

    /// The hash of an access token that a proof sent along has to carry (`ath`).
    package static func hash(ofAccessToken token: String) -> String {
        Base64URL.encode(Digest.of(token.utf8))
    }

    /// The place of a claim.
    package func place(ofClaim name: String) -> Place {
        Place(exchange: exchange, part: .jwtClaims, name: name)
    }

    /// The place of a header member.
    package func place(ofHeader name: String) -> Place {
        Place(exchange: exchange, part: .jwtHeader, name: name)
    }
}
