import Captures
import JSON
import OAuth

/// The token endpoint (RFC 6749, sections 3.2, 4.1.3 and 6; RFC 7636, section 4.6).
extension ProviderEngine {
    mutating func token(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        if let refusal = repetition(in: request) { return refuse(refusal, at: .token) }
        let authentication = ClientAuthentication(of: request, form)
        let client: ProviderConfiguration.Client
        do throws(Refused) {
            if authentication.clientID == nil, let author = author(of: form) {
                client = author
            } else {
                client = try authenticate(form, request, at: .token)
            }
        } catch {
            return error.answer
        }
        let boundKey: String?
        switch proof(of: request, at: .token) {
        case .refused(let answer): return answer
        case .none: boundKey = nil
        case .valid(let thumbprint): boundKey = dialect.tolerances.ignoresProofs ? nil : thumbprint
        }
        let isPublic = authentication.methods == [.none]
        // GitHub takes a code without a grant type.
        let grantType = form.first("grant_type") ?? (form.contains("code") ? "authorization_code" : nil)
        if let grantType, Self.playedGrants.contains(grantType),
            let registration = clients.registration(of: client), !registration.allows(grantType: grantType)
        {
            return refuse(.grantTypeUnregistered, at: .token, "\(grantType) is none of its grant_types")
        }
        switch grantType {
        case "authorization_code": return redeem(form, client, boundKey)
        case "refresh_token":
            return refresh(form, client, boundKey, isPublic: isPublic)
        case GrantType.deviceCode, GrantType.ciba: return poll(form, client, boundKey)
        case "client_credentials" where dialect.allows("client_credentials"):
            guard !dialect.strictness.needsClientProof || !isPublic else {
                return refuse(.clientAuthenticationMissing, at: .token)
            }
            return actForItself(form, client, boundKey)
        case let grantType? where exchanges(grantType):
            return exchange(form, grantType, client, boundKey)
        case "password" where dialect.allows("password"): return passwordGrant(form, client, boundKey)
        case nil: return refuse(.grantTypeMissing, at: .token)
        default: return refuse(.grantTypeUnsupported, at: .token)
        }
    }

    /// Grants that tokens are given for.
    static let playedGrants: Set<String> = [
        "authorization_code", "refresh_token", GrantType.deviceCode, GrantType.ciba, "client_credentials",
        "password", GrantType.tokenExchange, GrantType.jwtBearer,
    ]

    /// RFC 6749, section 5.2: a request without what its grant has to have is no grant that is wrong.
    func refuseWithout(_ name: String) -> BuiltAnswer {
        refuse(.parameterMissing, at: .token, "\(name) is missing")
    }

    // MARK: - Codes

    private mutating func redeem(
        _ form: QueryItems,
        _ client: ProviderConfiguration.Client,
        _ boundKey: String?
    )
        -> BuiltAnswer
    {
        guard let code = form.first("code"), !code.isEmpty else { return refuseWithout("code") }
        guard let issued = state.issued.codes[code], issued.grant.clientID == client.id else {
            return refuse(.codeUnknown, at: .token)
        }
        guard !issued.isUsed else {
            // RFC 6749, section 4.1.2: a second use ends what the first one brought.
            state.issued.revoke(allOf: issued.grant)
            return refuse(.codeUsed, at: .token)
        }
        state.issued.codes[code]?.isUsed = true
        guard now - issued.issuedAt <= .seconds(configuration.codeLifetime) else {
            return refuse(.codeExpired, at: .token)
        }
        let check = GrantCheck(dialect)
        let proof = check.refusal(ofVerifier: form.first("code_verifier"), issued.grant)
        let address = check.refusal(
            ofRedirectURI: form.first("redirect_uri"),
            issued.grant,
            registered: client.redirectURIs
        )
        if let refusal = address ?? unlessOmitted(proof, .proofKey) { return refuse(refusal, at: .token) }
        var grant = issued.grant
        if let expected = grant.boundKey, expected != boundKey { return refuse(.proofInvalid, at: .token) }
        grant.boundKey = boundKey
        do throws(Refusal) {
            grant = try check.limited(grant, to: form.first("resource"))
        } catch {
            return refuse(error, at: .token)
        }
        return issue(grant, "authorization_code", hashed: ["code": code])
    }

    // MARK: - Refresh

    /// `isPublic`: whether the client proved nothing about itself; only its refresh tokens are bound to a key (RFC 9449, section 5).
    private mutating func refresh(
        _ form: QueryItems,
        _ client: ProviderConfiguration.Client,
        _ boundKey: String?,
        isPublic: Bool
    )
        -> BuiltAnswer
    {
        guard let value = form.first("refresh_token"), !value.isEmpty else {
            return refuseWithout("refresh_token")
        }
        guard let token = state.issued.refreshTokens[value], mayRefresh(token.grant, client),
            !state.issued.isRevoked(token.grant)
        else { return refuse(.refreshTokenInvalid, at: .token) }
        guard !token.isUsed else {
            // RFC 9700, section 4.14.2.
            state.issued.revoke(allOf: token.grant)
            return refuse(.refreshTokenUsed, at: .token)
        }
        var grant = token.grant
        if isPublic, let expected = grant.boundKey, expected != boundKey {
            return refuse(.proofInvalid, at: .token)
        }
        grant.boundKey = boundKey
        do throws(Refusal) {
            grant = try GrantCheck(dialect).narrowed(grant, to: form)
        } catch {
            return refuse(error, at: .token)
        }
        // What comes is for who asks.
        grant.clientID = client.id
        let form = dialect.tokens(
            for: "refresh_token",
            clients.recordedID(client.id),
            at: askedEndpoint,
            earlierUses: token.uses
        )
        let isReplaced = form?.answer.members?["refresh_token"] != nil && form?.keepsRefreshToken == false
        if isReplaced, form?.reusesRefreshToken == false {
            state.issued.refreshTokens[value]?.isUsed = true
        }
        state.issued.refreshTokens[value]?.uses += 1
        // What replaces it has all of its scope, also where this access token has less (section 6), and all of its resources (RFC 8707,
        // section 2.2).
        var lasting = token.grant
        (lasting.clientID, lasting.boundKey) = (client.id, boundKey)
        return issue(grant, "refresh_token", refreshed: (value, lasting, token.uses))
    }

    /// RFC 6749, section 6: who it was issued to, unless the recorded provider was seen to share it.
    func mayRefresh(_ grant: ProviderState.Grant, _ client: ProviderConfiguration.Client) -> Bool {
        let clients = clients
        return grant.clientID == client.id
            || dialect.tolerances.takesRefreshTokens(
                of: clients.recordedID(grant.clientID),
                from: clients.recordedID(client.id)
            )
    }

    // MARK: - Without a user, and with one's password

    private mutating func actForItself(
        _ form: QueryItems,
        _ client: ProviderConfiguration.Client,
        _ boundKey: String?
    ) -> BuiltAnswer {
        let grant = ProviderState.Grant(
            clientID: client.id,
            scope: dialect.granted(form.first("scope") ?? ""),
            resource: form.first("resource") ?? form.first("audience"),
            signedInAt: now,
            family: context.identifier(),
            boundKey: boundKey
        )
        return issue(grant, "client_credentials")
    }

    private mutating func passwordGrant(
        _ form: QueryItems,
        _ client: ProviderConfiguration.Client,
        _ boundKey: String?
    ) -> BuiltAnswer {
        let credentials = SignInCredentials(user: form.first("username"), password: form.first("password"))
        guard let user = configuration.user(with: credentials) else {
            return refuse(.credentialsWrong, at: .token)
        }
        let grant = ProviderState.Grant(
            clientID: client.id,
            user: user,
            scope: dialect.granted(form.first("scope") ?? ""),
            signedInAt: now,
            family: context.identifier(),
            boundKey: boundKey
        )
        return issue(grant, "password")
    }
}
