import Captures
import JOSE
import JSON
import LibCrypto
import OAuth

/// Makes the tokens of one client, in the forms of the dialect and with the algorithms that the client is registered for.
///
/// Remembers nothing: what a token stands for goes along with it, for whoever keeps that.
struct TokenMint {
    let clientID: String
    /// Nil where nobody is known by that name.
    let client: ProviderConfiguration.Client?
    let issuer: String
    private let keys: [ProviderConfiguration.SigningKeyEntry]
    /// Of access tokens, in seconds, where the answer says nothing else.
    private let lifetime: Int64
    private let shapes: ValueShapes
    /// What stands here for the key IDs of the recording.
    private let keyIDs: [String: String]
    private let addresses: AddressMap
    private let allowsUnsigned: Bool
    private let isAsRecorded: Bool
    /// Where the client is told of logouts.
    let logoutAddresses: LogoutAddresses
    let random: @Sendable (Int) -> [UInt8]
    let now: Timestamp

    init(for clientID: String, _ client: ProviderConfiguration.Client?, _ context: ProviderContext) {
        self.clientID = clientID
        self.client = client
        issuer = context.configuration.issuerIdentifier
        keys = context.configuration.keys
        lifetime = context.configuration.tokenLifetime
        shapes = context.dialect.shapes
        keyIDs = context.dialect.keyIDs
        addresses = context.dialect.addresses
        allowsUnsigned = context.dialect.tolerances.allowsUnsigned
        isAsRecorded = context.policy.isAsRecorded
        var logout = client?.logout ?? LogoutAddresses()
        logout.backchannel = logout.backchannel ?? context.policy.logout.backchannel
        logout.frontchannel = logout.frontchannel ?? context.policy.logout.frontchannel
        logoutAddresses = logout
        random = context.random
        now = context.now
    }

    // MARK: - Access and refresh tokens

    /// `lifetime`: seconds, as the answer says.
    func accessToken(_ form: TokenForm?, _ grant: ProviderState.Grant, lifetime asked: Int64? = nil) -> (
        member: BuiltAnswer.Member, lifetime: Int64
    ) {
        let lifetime = asked ?? self.lifetime
        var memory = ProviderState.AccessToken(
            grant: grant,
            issuedAt: now,
            expiresAt: now + .seconds(lifetime)
        )
        guard case .signed(let template) = form else {
            if form == nil, let resource = grant.resource {
                let token = standardAccessToken(for: resource, memory)
                memory.identifier = token.claims["jti"]?.string
                return (.init("access_token", .token(token), memory: .accessToken(memory)), lifetime)
            }
            let text = opaque(form, "access_token")
            return (.init("access_token", text: text, memory: .accessToken(memory)), lifetime)
        }
        let claims = filler(template.origin, grant).filled(template.claims)
        memory.identifier = claims["jti"]?.string
        let token = unsigned(
            header: template.header,
            claims: claims,
            envelope: template.envelope
        )
        return (.init("access_token", .token(token), memory: .accessToken(memory)), lifetime)
    }

    /// What a resource can verify by itself, for whoever named it in the request (RFC 9068, section 2.2; RFC 8707, section 2).
    private func standardAccessToken(for resource: String, _ token: ProviderState.AccessToken)
        -> UnsignedToken
    {
        let grant = token.grant
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(resource),
            "sub": .string(grant.user?.subject ?? grant.clientID), "client_id": .string(grant.clientID),
            "iat": JSONValue(token.issuedAt.seconds),
            "exp": JSONValue(token.expiresAt.seconds), "jti": .string(Base64URL.encode(random(12))),
        ]
        if !grant.scope.isEmpty { claims["scope"] = .string(grant.scope) }
        claims["cnf"] = grant.confirmation
        for member in grant.user?.givenClaims.members ?? [] where claims[member.name] == nil {
            claims[member.name] = member.value
        }
        var header = standardHeader
        header["typ"] = "at+jwt"
        return unsigned(header: header, claims: claims)
    }

    func refreshToken(_ form: TokenForm?, _ grant: ProviderState.Grant) -> BuiltAnswer.Member {
        let memory = BuiltAnswer.Memory.refreshToken(ProviderState.RefreshToken(grant: grant))
        guard case .signed(let template) = form else {
            return .init("refresh_token", text: opaque(form, "refresh_token"), memory: memory)
        }
        let claims = filler(template.origin, grant).filled(template.claims)
        let token = unsigned(header: template.header, claims: claims)
        return .init("refresh_token", .token(token), memory: memory)
    }

    private func opaque(_ form: TokenForm?, _ name: String) -> String {
        guard case .opaque(let shape) = form else { return shapes.fresh(name, random) }
        return shape.make(random)
    }

    // MARK: - ID tokens

    /// With the nonce bound, and hashes as they were recorded.
    ///
    /// `adding`: claims that the response type makes necessary (OpenID Connect Core, sections 3.2.2.10 and 3.3.2.11).
    /// `claims`: of the user, besides what such a token says.
    /// `hashed`: what is hashed and no member of the answer.
    func idToken(
        _ form: TokenForm?,
        _ grant: ProviderState.Grant,
        origin: RecordedOrigin?,
        isFirst: Bool,
        adding hashes: [(claim: String, member: String)] = [],
        claims further: JSONObject = [:],
        hashed: [String: String] = [:]
    ) -> BuiltAnswer.Member? {
        let template: TokenTemplate
        if case .signed(let recorded) = form {
            template = recorded
        } else {
            template = standardIDToken(grant)
        }
        var claims = filler(template.origin, grant).filled(template.claims)
        for member in further.members where claims[member.name] == nil { claims[member.name] = member.value }
        for member in grant.user?.givenClaims.members ?? [] { claims[member.name] = member.value }
        if claims["sid"] == nil {
            claims["sid"] = grant.session.flatMap { sessionName($0) }
        }
        claims["nonce"] = nonce(like: template, grant, isFirst: isFirst)
        var wanted = hashes.filter { claims[$0.claim] == nil || isHash($0.claim) }
        for (claim, member) in Self.hashClaims where claims[claim] != nil {
            if !wanted.contains(where: { $0.claim == claim }) { wanted.append((claim, member)) }
        }
        for (claim, _) in wanted where claims[claim] == nil { claims[claim] = "" }
        var token = unsigned(
            header: template.header,
            claims: claims,
            envelope: template.envelope ?? client?.envelopes["id_token"]
        )
        token.hashes = wanted
        token.hashed = hashed
        let reader = ProviderState.Session.Reader(
            clientID: grant.clientID,
            sessionName: claims["sid"]?.string
        )
        return .init("id_token", .token(token), memory: grant.session.map { .session($0, reader) })
    }

    /// The login's; in refreshed tokens, where the recording has one there (OpenID Connect Core, section 12.2).
    private func nonce(like template: TokenTemplate, _ grant: ProviderState.Grant, isFirst: Bool)
        -> JSONValue?
    {
        let own = grant.nonce.map { JSONValue.string($0) }
        guard !isFirst else { return own }
        guard let recorded = template.claims["nonce"]?.string else { return nil }
        // One that no login asked for is against the specification: made anew only where all is as recorded.
        if isAsRecorded, template.origin.nonces.map({ !$0.contains(recorded) }) ?? false {
            return .string(ValueTemplate(like: recorded).make(random))
        }
        return own
    }

    private static var hashClaims: [(String, String)] {
        [("at_hash", "access_token"), ("c_hash", "code"), ("s_hash", "state")]
    }

    private func isHash(_ claim: String) -> Bool { Self.hashClaims.contains { $0.0 == claim } }

    /// What OpenID Connect Core, section 2 wants, for providers whose tokens nobody saw.
    private func standardIDToken(_ grant: ProviderState.Grant) -> TokenTemplate {
        var claims: JSONObject = [
            "iss": "", "sub": "", "aud": "", "exp": JSONValue(lifetime),
            "iat": 0,
        ]
        claims["auth_time"] = 1
        claims["at_hash"] = ""
        // Sections 3.1.2.1 and 5.5.1.1: in the order in which they are preferred, and all are had here.
        let acr = grant.claims?.acr ?? grant.acrValues?.spaceDelimited.first
        if let acr { claims["acr"] = .string(acr) }
        let named = grant.claims?.inIDToken ?? []
        for member in grant.user?.ownClaims.members ?? []
        where named.contains(member.name) && claims[member.name] == nil {
            claims[member.name] = member.value
        }
        return TokenTemplate(
            header: standardHeader,
            claims: claims,
            origin: RecordedOrigin()
        )
    }

    /// The header of a token for a client, with the key of the algorithm that it is registered for.
    var standardHeader: JSONObject {
        standardHeader(client?.idTokenAlgorithm ?? .rs256)
    }

    /// With the key of an algorithm, else the first of all.
    func standardHeader(_ algorithm: SignatureAlgorithm) -> JSONObject {
        let key = keys.first { $0.algorithm == algorithm } ?? keys.first
        var header: JSONObject = ["typ": "JWT", "alg": .string((key?.algorithm ?? algorithm).rawValue)]
        if let key { header["kid"] = .string(key.id) }
        return header
    }

    /// The `sid` of a session in the tokens of a client that is told of its end; nil for all others.
    ///
    /// It says nothing of the cookie that the browser has of the session.
    private func sessionName(_ session: String) -> JSONValue? {
        guard !logoutAddresses.isEmpty else { return nil }
        return .string(Base64URL.encode(Digest.of("sid \(session)".utf8).prefix(16)))
    }

    // MARK: - Signing

    /// With the provider's key, or the client's secret, that the header's `alg` and `kid` ask for.
    func unsigned(header: JSONObject, claims: JSONObject, envelope: JSONObject? = nil)
        -> UnsignedToken
    {
        let recorded = header["alg"]?.string
        let algorithm = recorded.flatMap(SignatureAlgorithm.init(rawValue:))
        var members = header
        for name in ["alg", "x5c", "x5t", "x5t#S256", "jku", "x5u", "jwk"] { members[name] = nil }
        var token = UnsignedToken(header: members, claims: claims)
        if let algorithm, algorithm.isSymmetric {
            token.algorithm = algorithm
            token.key = client?.secret.map { .secret(Array($0.utf8)) }
        } else if recorded != "none" || !isAsRecorded && !allowsUnsigned {
            let published = header["kid"]?.string.map { keyIDs[$0] ?? $0 }
            let entry =
                keys.first {
                    $0.id == published && ($0.algorithm == algorithm || algorithm == nil)
                }
                ?? keys.first { $0.algorithm == algorithm } ?? keys.first
            token.algorithm = entry?.algorithm
            token.key = entry.map { .privateKey($0.key) }
            if header["kid"] != nil { token.header["kid"] = entry.map { .string($0.id) } }
        }
        token.seal = envelope.map { TokenSeal(like: $0, keys: client?.keys ?? [], secret: client?.secret) }
        return token
    }

    func filler(_ origin: RecordedOrigin, _ grant: ProviderState.Grant) -> ClaimFiller {
        ClaimFiller(
            origin: origin,
            grant: grant,
            issuer: issuer,
            now: now,
            addresses: addresses,
            random: random
        )
    }
}

extension ProviderState.Grant {
    /// The key that whoever uses a token has to hold (RFC 9449, section 6.1); nil where none is asked for.
    var confirmation: JSONValue? { boundKey.map { ["jkt": .string($0)] } }
}
