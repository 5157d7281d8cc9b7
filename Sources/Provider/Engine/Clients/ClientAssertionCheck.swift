import Captures
import JOSE
import OAuth

/// Client authentication by a signed statement: what is wrong with one (RFC 7523, section 3; OpenID Connect Core, section 9).
///
/// Remembers nothing: whether it was used before is for whoever keeps ``UsedIdentifiers``.
struct ClientAssertionCheck {
    /// What an assertion is refused for.
    struct Flaw {
        var refusal: Refusal
        /// What it says, and what it should, for whoever runs the provider; nil where the refusal tells it all.
        var words: String?
    }

    private let names: ProviderNames
    /// Who may speak for a client, besides the client.
    private let issuers: Set<String>
    /// Nil where it is not known what the recorded provider makes of another kind.
    private let kind: String?
    private let now: Timestamp

    init(_ context: ProviderContext) {
        names = context.names
        issuers = context.dialect.tolerances.assertionIssuers
        kind = context.dialect.strictness.needsClientProof ? ClientAssertion.type : nil
        now = context.now
    }

    /// What is wrong: kind, issuer, subject, audience, time or signature; nil where nothing is.
    ///
    /// `kind`: the `client_assertion_type` that was sent with it; nil where there was none.
    func flaw(
        of assertion: ClientAssertion,
        sentAs kind: String?,
        from client: ProviderConfiguration.Client
    ) -> Flaw? {
        let token = assertion.token
        if let words = misnamedKind(kind ?? "") ?? misnaming(in: token, of: client) {
            return Flaw(refusal: .clientAssertionInvalid, words: words)
        }
        guard let end = token.expiresAt, end > now.seconds, (token.notBefore ?? 0) <= now.seconds + 60 else {
            return Flaw(refusal: .clientAssertionExpired, words: token.times(at: now))
        }
        return signatureRefusal(of: token, from: client).map { refusal in
            let isUnknown = refusal == .clientAssertionKeyUnknown
            return Flaw(refusal: refusal, words: isUnknown ? "kid is \(token.keyID ?? "not there")" : nil)
        }
    }

    /// What is wrong with `client_assertion_type`, which says of what kind an assertion is (RFC 7521, section 4.2; RFC 7523, section
    /// 2.2).
    private func misnamedKind(_ sent: String) -> String? {
        guard let kind, sent != kind else { return nil }
        return "client_assertion_type is \(sent.isEmpty ? "not there" : sent), not \(kind)"
    }

    /// Whom it names wrongly: who made it, whom it is about, or whom it is for.
    private func misnaming(in token: JSONWebToken, of client: ProviderConfiguration.Client) -> String? {
        let issuer = token.issuer ?? "not there"
        guard token.issuer == client.id || issuers.contains(issuer) else {
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
}
