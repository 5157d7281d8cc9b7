import Captures
import JSON
import OAuth

/// Who a client is, and whether it proves it (RFC 6749, section 2.3; RFC 7523, section 3).
extension ProviderEngine {
    /// A request that is not gone on with, and the answer to it.
    struct Refused: Error { var answer: BuiltAnswer }

    func client(_ id: String?) -> ProviderConfiguration.Client? {
        guard let id, !id.isEmpty else { return nil }
        if let client = configuration.clients.first(where: { $0.id == id })
            ?? state.registrations[id]?.client
        {
            return client
        }
        guard policy.acceptsUnknownClients else { return nil }
        var client = ProviderConfiguration.Client(
            id: id,
            redirectURIs: policy.redirectURIs,
            requiresPKCE: false
        )
        client.acceptsLocalRedirects = true
        client.acceptsAnySecret = true
        return client
    }

    /// What makes the tokens of a client.
    func mint(for clientID: String) -> TokenMint { TokenMint(for: clientID, of: self) }

    /// The recorded client whose answers and pages are a client's.
    func recordedID(_ clientID: String) -> String {
        state.registrations[clientID]?.client.standsFor ?? clientID
    }

    /// The client of a request to an endpoint that only clients use.
    mutating func authenticate(_ form: QueryItems, _ request: RecordedRequest, at role: Endpoints.Role)
        throws(Refused) -> ProviderConfiguration.Client
    {
        let parameters = Parameters(form, of: 0, in: .requestBody)
        let authentication = ClientAuthentication(of: request, exchange: 0, parameters: parameters)
        // RFC 6749, section 5.2: who tried the header is told the scheme.
        let challenge =
            authentication.methods.contains(.secretBasic)
            ? [("WWW-Authenticate", "Basic realm=\"token\"")] : []
        func refused(_ refusal: Refusal, _ explanation: String? = nil) -> Refused {
            Refused(answer: refuse(refusal, at: role, headers: challenge, explanation))
        }
        guard let client = client(named: authentication, form) else { throw refused(.clientUnknown) }
        guard let method = authentication.methods.first,
            authentication.methods.count == 1 || dialect.takesSeveralClientProofs
        else {
            // RFC 6749, section 5.2: what is wrong is the request, and no header is to be tried again.
            throw Refused(answer: refuse(.clientAuthenticationDoubled, at: role))
        }
        guard !authentication.namesOtherClient(than: parameters) || dialect.takesOtherClientNames else {
            throw Refused(answer: refuse(.clientDiffers, at: role))
        }
        if let registration = registration(of: client), !registration.allows(authentication: method) {
            throw refused(
                .clientMethodDiffers,
                client.authenticationMethods.first.map { "registered for \($0)" }
            )
        }
        switch method {
        case .assertion:
            guard let assertion = authentication.assertion.flatMap({ ClientAssertion($0) }) else {
                throw refused(.clientAssertionInvalid)
            }
            let check = ClientAssertionCheck(dialect, names: names, now: now)
            let kind = form.first("client_assertion_type")
            if let flaw = check.flaw(of: assertion, sentAs: kind, from: client) {
                throw refused(flaw.refusal, flaw.words)
            }
            guard state.usedIdentifiers.use(assertion) else { throw refused(.clientAssertionUsed) }
        case .secretBasic, .secretPost, .none:
            // A secret may have been sent with or without form coding (section 2.3.1).
            let sent = [authentication.secret?.value, authentication.undecodedSecret].compactMap { $0 }
            if !sent.isEmpty, client.acceptsAnySecret { return client }
            guard let secret = client.secret else {
                if needsProof(of: client, at: role) {
                    throw refused(.clientAuthenticationMissing)
                }
                guard sent.isEmpty || sent == [""] else { throw refused(.clientSecretWrong) }
                return client
            }
            guard !sent.isEmpty else { throw refused(.clientAuthenticationMissing) }
            guard sent.contains(secret) else { throw refused(.clientSecretWrong) }
        }
        return client
    }

    /// Whether a client without a secret has to prove who it is: one that signs for that, and any for introspection and CIBA (RFC 7662,
    /// section 2.1; OpenID Connect CIBA, section 7.1).
    private func needsProof(of client: ProviderConfiguration.Client, at role: Endpoints.Role) -> Bool {
        if client.authenticationMethods.contains("private_key_jwt") { return true }
        // A certificate proves it, and none is asked for here.
        let hasCertificate = client.authenticationMethods.contains { $0.hasSuffix("tls_client_auth") }
        return dialect.needsClientProof && !hasCertificate
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
        else { return client(authentication.clientID?.value) }
        let grants = [
            form.first("code").flatMap { state.issued.codes[$0]?.grant },
            form.first("refresh_token").flatMap { state.issued.refreshTokens[$0]?.grant },
            form.first("token").flatMap { state.issued.grant(of: $0) },
        ]
        let isAsItStands = grants.contains { $0?.clientID.equalsBytes(of: sent.rawValue) ?? false }
        let readings = isAsItStands ? [sent.rawValue, sent.value] : [sent.value, sent.rawValue]
        return readings.lazy.compactMap { client($0) }.first
    }
}
