import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What recorded tokens are like, so that others can be made like them.
extension AnswerFinder {
    /// A token's own times count from its own `iat`.
    ///
    /// `unread`: stands for an encrypted one that nobody opened.
    func tokenForm(
        _ text: String,
        _ index: CaptureIndex,
        _ origin: RecordedOrigin,
        unread: (RecordedOrigin) -> JSONObject = Self.standardIDToken
    ) -> TokenForm? {
        guard !text.isEmpty else { return nil }
        guard let token = JSONWebToken.parse(text) else { return .opaque(ValueTemplate(like: text)) }
        var envelope: JSONObject?
        var inner = token
        if token.form == .encrypted {
            envelope = token.header
            guard let opened = index.opened[token]?.token else {
                // Nobody saw what was inside: what the specification wants is.
                return .signed(
                    TokenTemplate(
                        header: signedHeader,
                        claims: unread(origin),
                        origin: origin,
                        envelope: envelope
                    )
                )
            }
            inner = opened
        }
        guard let header = inner.header, let claims = inner.claims else {
            return .opaque(ValueTemplate(like: text))
        }
        var origin = origin
        origin.issuedAt = inner.issuedAt ?? inner.notBefore ?? origin.issuedAt
        if let subject = inner.subject, subject != origin.clientID { origin.subject = subject }
        return .signed(TokenTemplate(header: header, claims: claims, origin: origin, envelope: envelope))
    }

    /// Of a token of which only the envelope is known.
    private var signedHeader: JSONObject {
        var header: JSONObject = ["typ": "JWT"]
        if let signing {
            header["alg"] = .string(signing.algorithm.rawValue)
            header["kid"] = .string(signing.id)
        }
        return header
    }

    /// What an ID token says at least (OpenID Connect Core, section 2).
    private static func standardIDToken(_ origin: RecordedOrigin) -> JSONObject {
        let at = JSONValue(origin.issuedAt)
        return [
            "iss": "", "sub": .string(origin.subject), "aud": .string(origin.clientID), "iat": at,
            "exp": JSONValue(origin.issuedAt &+ 600), "nonce": "", "at_hash": "",
        ]
    }

    /// What signed userinfo says at least (OpenID Connect Core, section 5.3.2).
    static func standardUserInfo(_ origin: RecordedOrigin) -> JSONObject {
        ["iss": "", "sub": .string(origin.subject), "aud": .string(origin.clientID)]
    }

    /// Refresh tokens are read by nobody but the provider: those under a secret of its own only look the same.
    func refreshForm(_ text: String, _ index: CaptureIndex, _ origin: RecordedOrigin) -> TokenForm? {
        guard let token = JSONWebToken.parse(text), token.form == .signed,
            let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)),
            !algorithm.isSymmetric
        else { return .opaque(ValueTemplate(like: text)) }
        return tokenForm(text, index, origin)
    }
}
