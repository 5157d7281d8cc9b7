import Captures
import JOSE
import JSON
import OAuth

/// Client authentication by a signed statement (RFC 7523, section 3; OpenID Connect Core, section 9).
extension ProviderEngine {
    /// What is wrong with an assertion: issuer, subject, audience, time, signature or use; nil where nothing is.
    ///
    /// `words`: what it says, and what it should, for whoever runs the provider; nil where the refusal tells it all.
    mutating func flaw(
        of assertion: ClientAssertion,
        from client: ProviderConfiguration.Client,
        _ form: QueryItems
    ) -> (refusal: Refusal, words: String?)? {
        let token = assertion.token
        if let words = misnamedKind(of: form) { return (.clientAssertionInvalid, words) }
        if let words = misnaming(in: token, of: client) { return (.clientAssertionInvalid, words) }
        guard let end = token.expiresAt, end > now.seconds, (token.notBefore ?? 0) <= now.seconds + 60 else {
            return (.clientAssertionExpired, token.times(at: now))
        }
        if let refusal = signatureRefusal(of: token, from: client) {
            let isUnknown = refusal == .clientAssertionKeyUnknown
            return (refusal, isUnknown ? "kid is \(token.keyID ?? "not there")" : nil)
        }
        return use(assertion) ? nil : (.clientAssertionUsed, nil)
    }

    /// What is wrong with `client_assertion_type`, which says of what kind an assertion is (RFC 7521, section 4.2; RFC 7523, section
    /// 2.2); nil where nothing is, or where it is not known what the recorded provider makes of that.
    private func misnamedKind(of form: QueryItems) -> String? {
        let sent = form.first("client_assertion_type") ?? ""
        guard dialect.needsClientProof, sent != ClientAssertion.type else { return nil }
        return "client_assertion_type is \(sent.isEmpty ? "not there" : sent), not \(ClientAssertion.type)"
    }

    /// Whom it names wrongly: who made it, whom it is about, or whom it is for.
    private func misnaming(in token: JSONWebToken, of client: ProviderConfiguration.Client) -> String? {
        let issuer = token.issuer ?? "not there"
        guard token.issuer == client.id || dialect.assertionIssuers.contains(issuer) else {
            return "iss is \(issuer), not \(client.id)"
        }
        guard token.subject == client.id else {
            return "sub is \(token.subject ?? "not there"), not \(client.id)"
        }
        return names.foreignAudience(of: token)
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

extension JSONWebToken {
    /// The times that it names, beside that of the provider, in seconds.
    func times(at now: Timestamp) -> String {
        let start = notBefore.map { "nbf is \($0), " } ?? ""
        let end = expiresAt.map { "\($0)" } ?? "not there"
        return "\(start)exp is \(end), and it is \(now.seconds) here"
    }
}
