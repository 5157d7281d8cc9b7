import Captures
import JOSE
import JSON
import OAuth

/// Client authentication by a signed statement (RFC 7523, section 3; OpenID Connect Core, section 9).
extension ProviderEngine {
    /// What is wrong with an assertion: issuer, subject, audience, time, signature or use; nil where nothing is.
    mutating func refusal(of assertion: ClientAssertion, from client: ProviderConfiguration.Client)
        -> Refusal?
    {
        let token = assertion.token
        guard token.issuer == client.id || dialect.assertionIssuers.contains(token.issuer ?? ""),
            token.subject == client.id, token.audience.contains(where: { isOwn($0) })
        else { return .clientAssertionInvalid }
        guard let end = token.expiresAt, end > now.seconds, (token.notBefore ?? 0) <= now.seconds + 60 else {
            return .clientAssertionExpired
        }
        return signatureRefusal(of: token, from: client) ?? (use(assertion) ? nil : .clientAssertionUsed)
    }

    private func signatureRefusal(of token: JSONWebToken, from client: ProviderConfiguration.Client)
        -> Refusal?
    {
        guard let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)) else {
            return .clientAssertionSignatureWrong
        }
        let verification: SignatureVerification
        if algorithm.isSymmetric {
            guard let secret = client.secret else {
                return client.acceptsAnySecret ? nil : .clientAssertionSignatureWrong
            }
            verification = token.verify(keys: [], secret: Array(secret.utf8))
        } else {
            guard !client.keys.isEmpty else { return nil }
            verification = token.verify(keys: client.keys(for: token))
        }
        return switch verification.outcome {
        case .valid: nil
        case .unknownKey: .clientAssertionKeyUnknown
        default: .clientAssertionSignatureWrong
        }
    }

    /// Whether an assertion is used for the first time.
    private mutating func use(_ assertion: ClientAssertion) -> Bool {
        guard assertion.identifier != nil else { return true }
        let key = "assertion " + assertion.key
        guard state.usedIdentifiers[key] == nil else { return false }
        state.usedIdentifiers[key] = true
        return true
    }
}

extension ProviderConfiguration.Client {
    /// The keys that may have signed a token of the client: a key without a name is one by any (RFC 7517, section 4.5).
    func keys(for token: JSONWebToken) -> [JSONWebKey] {
        guard let name = token.keyID else { return keys }
        return keys.map { key in
            guard key.id == nil else { return key }
            var json = key.json
            json["kid"] = .string(name)
            return JSONWebKey(json: json)
        }
    }
}
