import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Derives what plays one issuer from its flows: configuration, dialect, and what was issued before the recording
/// began.
struct ProfileBuilder {
    struct Profile {
        var configuration: ProviderConfiguration
        var dialect: ProviderDialect
        var state: ProviderState
        var remarks: [String]
    }

    let issuer: RecordedIssuer
    let addresses: AddressMap
    let options: RecordedProviderOptions
    /// Identifiers of all issuers that are played.
    let played: Set<String>
    let random: @Sendable (Int) -> [UInt8]
    var remarks: [String] = []

    init(
        _ issuer: RecordedIssuer,
        addresses: AddressMap,
        options: RecordedProviderOptions,
        played: Set<String>,
        random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.issuer = issuer
        self.addresses = addresses
        self.options = options
        self.played = played
        self.random = random
    }

    mutating func build(_ pool: inout SigningKeys) throws -> Profile {
        let name = addresses.rewritten(issuer.identifier)
        var dialect = ProviderDialect()
        dialect.kind = issuer.flows.first { $0.provider != .generic }?.provider ?? .generic
        // Both have it in their documentation.
        dialect.tolerances.takesJSON = [.auth0, .github].contains(dialect.kind)
        dialect.addresses = addresses
        dialect.origins = Set(issuer.origins)
        dialect.logoutTargets = LogoutCourse.targetNames
        dialect.passwordFields = issuer.passwordFields
        let users = UserFinder(issuer, passwordFields: dialect.passwordFields).users(options, &remarks)
        let keys = try signingKeys(&pool, &dialect)
        var clients = ClientFinder(issuer).clients(options, keys, &remarks)
        var configuration = ProviderConfiguration(issuer: name, clients: [], users: users.list, keys: keys)
        configuration.endsWithSlash = issuer.endsWithSlash
        // Recordings do not show it; the longest that is common.
        configuration.codeLifetime = 600
        addPaths(&dialect)
        addReaders(&dialect)
        AnswerFinder(issuer, users: users, addresses: addresses, signing: keys.first).learn(&dialect)
        addUnseenEndpoints(&dialect)
        addMetadata(&dialect, name, keys)
        RefusalFinder(issuer, addresses: addresses).learn(&dialect)
        ScriptFinder(issuer, users: users, passwordFields: dialect.passwordFields).learn(&dialect)
        if !options.isAsRecorded { ClientFinder.admitRefused(&clients, issuer) }
        configuration.clients = clients
        configuration.tokenLifetime =
            dialect.tokens.lazy.compactMap { $0.answer.members?["expires_in"]?.int }.first ?? 3600
        let state = SeedFinder(issuer, configuration: configuration, users: users.subjects).state()
        tellOfEncryption(dialect, clients)
        tellOfGrants()
        tellOfReferences()
        tellOfNotifications()
        tellOfMissingBodies()
        tellOfScriptedPages(dialect)
        tellOfOtherIssuers()
        return Profile(configuration: configuration, dialect: dialect, state: state, remarks: remarks)
    }

    // MARK: - Keys

    /// One key for each algorithm and shape of `kid` that the recorded key sets and tokens show.
    private func signingKeys(_ pool: inout SigningKeys, _ dialect: inout ProviderDialect) throws
        -> [ProviderConfiguration.SigningKeyEntry]
    {
        var seen: [(algorithm: SignatureAlgorithm, id: String?)] = []
        func note(_ algorithm: SignatureAlgorithm?, _ id: String?) {
            guard let algorithm, !algorithm.isSymmetric,
                !seen.contains(where: { $0.algorithm == algorithm && $0.id == id })
            else { return }
            seen.append((algorithm, id))
        }
        let tokens = issuer.flows.flatMap { Self.issuedTokens($0) }
        for index in issuer.captures {
            for document in index.keySets where isOwn(document.url) {
                for key in document.keys?.keys ?? [] where key.use != "enc" {
                    let used = tokens.first { $0.keyID == key.id }?.algorithm
                    note(Self.algorithm(of: key, used), key.id)
                }
            }
        }
        for token in tokens { note(token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)), token.keyID) }
        // Tokens of which nobody saw what they were signed with, or which the recorded login did not come to.
        if seen.isEmpty,
            issuer.flows.contains(where: { Self.asksForIDToken($0) || Self.readsSealedUserInfo($0) })
        {
            note(.rs256, nil)
        }
        var entries: [ProviderConfiguration.SigningKeyEntry] = []
        var byShape: [String: String] = [:]
        for (algorithm, id) in seen {
            let shape = "\(algorithm.rawValue) \(id.map { "\($0.utf8.count)" } ?? "")"
            if let known = byShape[shape] {
                if let id { dialect.keyIDs[id] = known }
                continue
            }
            let key = try pool.key(for: algorithm)
            // A short name is drawn again for another key sooner or later, and so has no freedom here.
            let like = id.map { ValueTemplate(like: $0) }.flatMap { $0.isUnguessable ? $0 : nil }
            var entry = ProviderConfiguration.SigningKeyEntry(algorithm: algorithm, key: key)
            if let fresh = like?.make(random), fresh != id, !entries.contains(where: { $0.id == fresh }) {
                entry.id = fresh
            }
            byShape[shape] = entry.id
            if let id { dialect.keyIDs[id] = entry.id }
            entries.append(entry)
        }
        return entries
    }

    /// Whether userinfo came encrypted: what was inside is signed (OpenID Connect Core, section 5.3.2).
    private static func readsSealedUserInfo(_ flow: Flow) -> Bool {
        flow.messages.contains { message in
            guard case .userInfo(let call) = message,
                let text = flow.capture[call.exchange].response?.body?.text
            else { return false }
            return JSONWebToken.parse(text)?.form == .encrypted
        }
    }

    private static func asksForIDToken(_ flow: Flow) -> Bool {
        if !flow.idTokens.isEmpty { return true }
        return flow.messages.contains { message in
            let scope: String? =
                switch message {
                case .authorizationRequest(let request): request.parameters["scope"]
                case .deviceAuthorization(let call), .pushedRequest(let call),
                    .backchannelAuthentication(let call):
                    call.parameters["scope"]
                case .token(let request): request.parameters["scope"]
                default: nil
                }
            return scope?.spaceDelimited.contains("openid") ?? false
        }
    }

    func isOwn(_ url: RecordedURL) -> Bool {
        AddressMap.origin(of: url).map(issuer.origins.contains) ?? false
    }

    private static func algorithm(of key: JSONWebKey, _ used: String?) -> SignatureAlgorithm? {
        if let named = (key.algorithm ?? used).flatMap(SignatureAlgorithm.init(rawValue:)) { return named }
        return switch (key.type, key.curve) {
        case ("RSA", _): .rs256
        case ("EC", "P-384"): .es384
        case ("EC", "P-521"): .es512
        case ("EC", "secp256k1"): .es256K
        case ("EC", _): .es256
        case ("OKP", "Ed25519"): .edDSA
        case ("OKP", "Ed448"): .ed448
        default: nil
        }
    }

    /// Signed tokens of a flow; encrypted ones as far as they could be opened.
    static func issuedTokens(_ flow: Flow) -> [JSONWebToken] {
        var tokens = flow.idTokens.map(\.token.token).filter { $0.form == .signed }
        for request in flow.tokenRequests {
            if let token = request.accessToken.flatMap(JSONWebToken.parse), token.claims != nil {
                tokens.append(token)
            }
        }
        return tokens + signedAnswers(flow)
    }

    /// Answers that are signed as a whole: userinfo (OpenID Connect Core, section 5.3.2), authorization responses (JARM, section 2.1).
    private static func signedAnswers(_ flow: Flow) -> [JSONWebToken] {
        flow.messages.compactMap { message in
            let text: String? =
                switch message {
                case .userInfo(let call): flow.capture[call.exchange].response?.body?.text
                case .authorizationResponse(let response): response.parameters["response"]
                default: nil
                }
            return text.flatMap(JSONWebToken.parse).flatMap { $0.form == .signed ? $0 : nil }
        }
    }
}
