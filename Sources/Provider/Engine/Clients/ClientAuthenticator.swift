import Captures
import JSON
import OAuth

/// Who a client is, and whether it proves it (RFC 6749, section 2.3; RFC 7523, section 3).
///
/// Remembers nothing: that an assertion is good once is for whoever keeps ``UsedIdentifiers``.
struct ClientAuthenticator {
    /// Why a client is not taken for who it says it is.
    struct Failure: Error {
        var refusal: Refusal
        /// For whoever runs the provider, where more is known than the refusal says.
        var words: String?
        /// Whether who tried the `Authorization` header is told its scheme (RFC 6749, section 5.2); not where it is the request that is
        /// wrong, and no header is to be tried again.
        var isChallenged = true
    }

    private let clients: KnownClients
    private let issued: IssuedTokens
    private let dialect: ProviderDialect
    private let assertions: ClientAssertionCheck

    init(_ clients: KnownClients, _ issued: IssuedTokens, _ context: ProviderContext) {
        self.clients = clients
        self.issued = issued
        dialect = context.dialect
        assertions = ClientAssertionCheck(context)
    }

    /// The client of a request to an endpoint that only clients use, and the assertion by which it proved that; nil where it did so in
    /// another way.
    func client(
        of authentication: ClientAuthentication,
        _ form: QueryItems,
        at role: Endpoints.Role
    ) throws(Failure) -> (client: ProviderConfiguration.Client, assertion: ClientAssertion?) {
        let parameters = Parameters(form, of: 0, in: .requestBody)
        guard let client = client(named: authentication, form) else {
            throw Failure(
                refusal: .clientUnknown,
                words: authentication.clientID == nil ? "the request names no client" : nil
            )
        }
        guard let method = authentication.methods.first,
            authentication.methods.count == 1 || dialect.tolerances.takesSeveralClientProofs
        else { throw Failure(refusal: .clientAuthenticationDoubled, isChallenged: false) }
        guard !authentication.namesOtherClient(than: parameters) || dialect.tolerances.takesOtherClientNames
        else {
            throw Failure(refusal: .clientDiffers, isChallenged: false)
        }
        if let registration = clients.registration(of: client), !registration.allows(authentication: method) {
            throw Failure(
                refusal: .clientMethodDiffers,
                words: client.authenticationMethods.first.map { "registered for \($0)" }
            )
        }
        switch method {
        case .assertion:
            guard let assertion = authentication.assertion.flatMap({ ClientAssertion($0) }) else {
                throw Failure(refusal: .clientAssertionInvalid)
            }
            let kind = form.first("client_assertion_type")
            if let flaw = assertions.flaw(of: assertion, sentAs: kind, from: client) {
                throw Failure(refusal: flaw.refusal, words: flaw.words)
            }
            return (client, assertion)
        case .secretBasic, .secretPost, .none:
            if let refusal = refusal(ofSecretIn: authentication, client, at: role) {
                throw Failure(refusal: refusal)
            }
            return (client, nil)
        }
    }

    /// What is wrong with the secret of a client, or with the lack of one.
    private func refusal(
        ofSecretIn authentication: ClientAuthentication,
        _ client: ProviderConfiguration.Client,
        at role: Endpoints.Role
    ) -> Refusal? {
        // A secret may have been sent with or without form coding (section 2.3.1).
        let sent = [authentication.secret?.value, authentication.undecodedSecret].compactMap { $0 }
        if !sent.isEmpty, client.acceptsAnySecret { return nil }
        guard let secret = client.secret else {
            if needsProof(of: client, at: role) { return .clientAuthenticationMissing }
            return sent.isEmpty || sent == [""] ? nil : .clientSecretWrong
        }
        if sent.isEmpty { return .clientAuthenticationMissing }
        return sent.contains(secret) ? nil : .clientSecretWrong
    }

    /// Whether a client without a secret has to prove who it is: one that signs for that, and any for introspection and CIBA (RFC 7662,
    /// section 2.1; OpenID Connect CIBA, section 7.1).
    private func needsProof(of client: ProviderConfiguration.Client, at role: Endpoints.Role) -> Bool {
        if client.authenticationMethods.contains("private_key_jwt") { return true }
        // A certificate proves it, and none is asked for here.
        let hasCertificate = client.authenticationMethods.contains { $0.hasSuffix("tls_client_auth") }
        return dialect.strictness.needsClientProof && !hasCertificate
            && [.introspection, .backchannelAuthentication].contains(role)
    }

    /// Who a request is of.
    ///
    /// Basic credentials form-decoded, and as they stand where only that is a client, or the one that a code or token
    /// was issued to: many leave the coding out (RFC 6749, section 2.3.1).
    private func client(named authentication: ClientAuthentication, _ form: QueryItems)
        -> ProviderConfiguration.Client?
    {
        guard let sent = authentication.clientID, authentication.methods.contains(.secretBasic),
            !sent.rawValue.equalsBytes(of: sent.value)
        else { return clients.client(authentication.clientID?.value) }
        let grants = [
            form.first("code").flatMap { issued.codes[$0]?.grant },
            form.first("refresh_token").flatMap { issued.refreshTokens[$0]?.grant },
            form.first("token").flatMap { issued.grant(of: $0) },
        ]
        let isAsItStands = grants.contains { $0?.clientID.equalsBytes(of: sent.rawValue) ?? false }
        let readings = isAsItStands ? [sent.rawValue, sent.value] : [sent.value, sent.rawValue]
        return readings.lazy.compactMap { clients.client($0) }.first
    }
}
