import Captures
import Flows
import JOSE
import JSON
import LibCrypto
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
    let random: @Sendable (Int) -> [UInt8]
    var remarks: [String] = []

    init(
        _ issuer: RecordedIssuer,
        addresses: AddressMap,
        options: RecordedProviderOptions,
        random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.issuer = issuer
        self.addresses = addresses
        self.options = options
        self.random = random
    }

    mutating func build(_ pool: inout SigningKeys) throws -> Profile {
        let name = addresses.rewritten(issuer.identifier)
        var dialect = ProviderDialect()
        dialect.kind = issuer.flows.first { $0.provider != .generic }?.provider ?? .generic
        dialect.addresses = addresses
        dialect.origins = Set(issuer.origins)
        dialect.logoutTargets = LogoutCourse.targetNames
        let users = UserFinder(issuer).users(options, &remarks)
        let keys = try signingKeys(&pool, &dialect)
        var clients = ClientFinder(issuer).clients(options, keys, &remarks)
        var configuration = ProviderConfiguration(issuer: name, clients: [], users: users.list, keys: keys)
        // Recordings do not show it; the longest that is common.
        configuration.codeLifetime = 600
        addPaths(&dialect)
        AnswerFinder(issuer, users: users.subjects, addresses: addresses, signing: keys.first).learn(&dialect)
        addMetadata(&dialect, name, keys)
        RefusalFinder(issuer).learn(&dialect)
        ScriptFinder(issuer, users: users).learn(&dialect)
        if dialect.recordedOutcomes[.authorization] == nil, !options.isAsRecorded {
            ClientFinder.admitRefused(&clients, issuer)
        }
        configuration.clients = clients
        configuration.tokenLifetime =
            dialect.tokens.lazy.compactMap { $0.answer.members?["expires_in"]?.int }.first ?? 3600
        let state = SeedFinder(issuer, configuration: configuration, users: users.subjects).state()
        tellOfEncryption(dialect, clients)
        tellOfMissingBodies()
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
        // ID tokens of which nobody saw what they were signed with.
        let hasIDTokens = issuer.flows.contains { !$0.idTokens.isEmpty }
        if seen.isEmpty, hasIDTokens { note(.rs256, nil) }
        var entries: [ProviderConfiguration.SigningKeyEntry] = []
        var byShape: [String: String] = [:]
        for (algorithm, id) in seen {
            let shape = "\(algorithm.rawValue) \(id.map { "\($0.utf8.count)" } ?? "")"
            if let known = byShape[shape] {
                if let id { dialect.keyIDs[id] = known }
                continue
            }
            var fresh = id.map { ValueShape(like: $0).make(random) } ?? Base64URL.encode(random(12))
            while entries.contains(where: { $0.id == fresh }) || fresh == id {
                fresh = Base64URL.encode(random(12))
            }
            byShape[shape] = fresh
            if let id { dialect.keyIDs[id] = fresh }
            entries.append(.init(id: fresh, algorithm: algorithm, key: try pool.key(for: algorithm)))
        }
        return entries
    }

    private func isOwn(_ url: RecordedURL) -> Bool {
        AddressMap.origin(of: url).map(issuer.origins.contains) ?? false
    }

    private static func algorithm(of key: JSONWebKey, _ used: String?) -> SignatureAlgorithm? {
        if let named = (key.algorithm ?? used).flatMap(SignatureAlgorithm.init(rawValue:)) { return named }
        return switch (key.type, key.curve) {
        case ("RSA", _): .rs256
        case ("EC", "P-384"): .es384
        case ("EC", "P-521"): .es512
        case ("EC", _): .es256
        case ("OKP", "Ed25519"): .edDSA
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
        return tokens
    }

    // MARK: - Paths and metadata

    private func addPaths(_ dialect: inout ProviderDialect) {
        func add(_ role: Endpoints.Role, _ url: String) {
            guard let played = addresses.played(url) else { return }
            let path = RecordedURL(played).path
            if !(dialect.paths[role] ?? []).contains(path) { dialect.paths[role, default: []].append(path) }
        }
        for flow in issuer.flows {
            for message in flow.messages {
                switch message {
                case .authorizationRequest(let request): add(.authorization, request.endpoint.text)
                case .token(let request): add(.token, request.endpoint.text)
                case .userInfo(let call): add(.userInfo, call.endpoint.text)
                case .introspection(let call): add(.introspection, call.endpoint.text)
                case .revocation(let call): add(.revocation, call.endpoint.text)
                case .endSession(let call): add(.endSession, call.endpoint.text)
                case .deviceAuthorization(let call): add(.deviceAuthorization, call.endpoint.text)
                case .pushedRequest(let call): add(.pushedRequest, call.endpoint.text)
                case .registration(let call): add(.registration, call.endpoint.text)
                case .keySet(let document): add(.keys, document.url.withoutQuery)
                case .discovery(let document):
                    guard !document.isProtectedResource, let json = document.answer.json else { continue }
                    for role in Endpoints.Role.allCases {
                        if let url = json[role.rawValue]?.string { add(role, RecordedURL(url).withoutQuery) }
                        if let url = json["mtls_endpoint_aliases"]?[role.rawValue]?.string {
                            add(role, RecordedURL(url).withoutQuery)
                        }
                    }
                case .authorizationResponse, .backChannelLogout, .frontChannelLogout, .resource: break
                }
            }
        }
    }

    /// The recorded document at its addresses, or one of what was seen; always at the issuer's own (OpenID Connect
    /// Discovery, section 4; RFC 8414, section 3).
    private func addMetadata(
        _ dialect: inout ProviderDialect,
        _ name: String,
        _ keys: [ProviderConfiguration.SigningKeyEntry]
    ) {
        let documents = issuer.flows.flatMap { flow in
            flow.messages.compactMap { message -> (MetadataDocument, Exchange)? in
                guard case .discovery(let document) = message, !document.isProtectedResource else {
                    return nil
                }
                return (document, flow.capture[document.exchange])
            }
        }
        for (document, exchange) in documents {
            guard let played = addresses.played(document.url.withoutQuery) else { continue }
            let path = RecordedURL(played).path
            if !document.isUsable, let response = exchange.response {
                dialect.refusedDocuments[path] = AnswerTemplate(response)
            }
            dialect.metadataPaths.insert(path)
        }
        for (document, _) in documents where document.isUsable {
            if let played = addresses.played(document.url.withoutQuery) {
                dialect.refusedDocuments[RecordedURL(played).path] = nil
            }
        }
        let own = RecordedURL(name)
        for wellKnown in ["openid-configuration", "oauth-authorization-server"] {
            dialect.metadataPaths.insert(own.path + "/.well-known/" + wellKnown)
            dialect.metadataPaths.insert("/.well-known/" + wellKnown + own.path)
        }
        let usable = documents.filter { $0.0.isUsable }
        let best = usable.first { $0.0.issuer == issuer.identifier } ?? usable.first
        if let response = best?.1.response {
            dialect.metadata = AnswerTemplate(response)
            dialect.metadata.members = rewritten(dialect.metadata.members ?? JSONObject())
        } else {
            dialect.metadata = AnswerTemplate(status: 200, members: seen(dialect, keys))
        }
        dialect.metadata.members?["issuer"] = .string(name)
        // Tokens are checked with keys that somebody has to find.
        if !keys.isEmpty, dialect.paths[.keys] == nil {
            dialect.paths[.keys] = [own.path + "/jwks"]
            dialect.metadata.members?["jwks_uri"] = .string(name + "/jwks")
        }
    }

    /// What the recording shows of a provider that published nothing.
    private func seen(_ dialect: ProviderDialect, _ keys: [ProviderConfiguration.SigningKeyEntry])
        -> JSONObject
    {
        var members: JSONObject = ["issuer": ""]
        let base = AddressMap.origin(of: RecordedURL(addresses.rewritten(issuer.identifier))) ?? ""
        for role in Endpoints.Role.allCases {
            if let path = dialect.paths[role]?.first { members[role.rawValue] = .string(base + path) }
        }
        func list(_ values: [String]) -> JSONValue {
            var seen: Set<String> = []
            return .array(values.filter { seen.insert($0).inserted }.map { .string($0) })
        }
        let types = dialect.authorizations.map(\.responseType)
        members["response_types_supported"] = list(types.isEmpty ? ["code"] : types)
        members["grant_types_supported"] = list(dialect.tokens.map(\.grantType))
        if !keys.isEmpty {
            members["id_token_signing_alg_values_supported"] = list(keys.map(\.algorithm.rawValue))
            members["subject_types_supported"] = ["public"]
        }
        let methods = issuer.flows.flatMap(\.authorizationRequests).compactMap { request in
            request.codeChallenge == nil ? nil : request.codeChallengeMethod
        }
        if !methods.isEmpty { members["code_challenge_methods_supported"] = list(methods) }
        return members
    }

    private func rewritten(_ object: JSONObject) -> JSONObject {
        JSONObject(object.members.map { .init(name: $0.name, value: rewritten($0.value)) })
    }

    private func rewritten(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(addresses.rewritten(text))
        case .array(let elements): .array(elements.map(rewritten))
        case .object(let object): .object(rewritten(object))
        default: value
        }
    }

    /// Recorders leave out large bodies, browsers what they had in their cache.
    private mutating func tellOfMissingBodies() {
        var missing: [String] = []
        for index in issuer.captures {
            for exchange in index.capture.indices where index.messages[exchange] == nil {
                let recorded = index.capture[exchange]
                guard recorded.request.method == "GET", isOwn(recorded.request.url),
                    let response = recorded.response,
                    response.status == 200
                else { continue }
                let isWhole = (response.body?.isRecorded ?? false) && response.body?.isTruncated == false
                let isEmpty =
                    isWhole && response.body?.size == 0
                    && response.headers.first("content-length") ?? "0" != "0"
                if !isWhole || isEmpty { missing.append(recorded.request.url.path) }
            }
        }
        guard let first = missing.first else { return }
        let more = missing.count == 1 ? "" : " and \(missing.count - 1) more"
        remarks.append(
            "the capture holds no whole body of \(first)\(more): pages that need them will not work"
        )
    }

    private mutating func tellOfEncryption(
        _ dialect: ProviderDialect,
        _ clients: [ProviderConfiguration.Client]
    ) {
        for form in dialect.tokens {
            guard case .signed(let template) = form.idToken, let header = template.envelope,
                let client = clients.first(where: { $0.id == form.clientID })
            else { continue }
            let seal = TokenSeal(like: header, keys: client.keys, secret: client.secret)
            guard seal.sealed("", random: random) == nil else { continue }
            remarks.append(
                "ID tokens for \(client.id) were encrypted (\(header["alg"]?.string ?? "?")): they are signed only, "
                    + "--client-key \(client.id)=FILE names the key"
            )
        }
    }
}
