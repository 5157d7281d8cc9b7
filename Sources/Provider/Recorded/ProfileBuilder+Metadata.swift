import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Where a recorded provider is asked, and what it publishes of itself.
extension ProfileBuilder {
    func addPaths(_ dialect: inout ProviderDialect) {
        func add(_ role: Endpoints.Role, _ url: String) {
            guard let played = addresses.played(url) else { return }
            let target = RecordedURL(played).pathAndQuery
            if !(dialect.paths[role] ?? []).contains(target) {
                dialect.paths[role, default: []].append(target)
            }
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
                case .backchannelAuthentication(let call):
                    add(.backchannelAuthentication, call.endpoint.text)
                case .pushedRequest(let call): add(.pushedRequest, call.endpoint.text)
                case .registration(let call): add(.registration, call.endpoint.text)
                case .keySet(let document): add(.keys, document.endpoint.text)
                case .discovery(let document):
                    guard !document.isProtectedResource, !isOfAnother(document),
                        let json = document.answer.json
                    else { continue }
                    for role in Endpoints.Role.allCases {
                        if let url = json[role.rawValue]?.string { add(role, url) }
                        if let url = json["mtls_endpoint_aliases"]?[role.rawValue]?.string {
                            add(role, url)
                        }
                    }
                case .authorizationResponse, .backChannelLogout, .frontChannelLogout, .resource,
                    .identityAssertion, .clientConfiguration:
                    break
                }
            }
        }
    }

    /// Endpoints that half a login shows nothing of: those that a client asks by itself where a browser recorded, that of authorization
    /// where a server did; each beside the other, where most providers have them.
    ///
    /// Without them no login could end, or begin.
    mutating func addUnseenEndpoints(_ dialect: inout ProviderDialect) {
        guard !metadataDocuments.contains(where: { !isOfAnother($0.document) && $0.document.isUsable }) else {
            return
        }
        if dialect.paths[.token] == nil {
            addClientsHalf(&dialect)
        } else if dialect.paths[.authorization] == nil {
            addBrowsersHalf(&dialect)
        }
    }

    private mutating func addClientsHalf(_ dialect: inout ProviderDialect) {
        guard issuer.flows.flatMap(\.authorizationRequests).contains(where: \.asksForCode),
            let folder = dialect.paths[.authorization]?.first.flatMap(Self.folder(of:))
        else { return }
        let token: String =
            switch dialect.kind {
            case .auth0: "/oauth/token"
            case .github: "/access_token"
            default: "/token"
            }
        dialect.paths[.token] = [folder + token]
        if dialect.paths[.userInfo] == nil { dialect.paths[.userInfo] = [folder + "/userinfo"] }
        remarks.append(
            "the capture has nothing of the client's own calls: \(folder + token) takes codes, and answers as the specifications have it"
        )
    }

    private mutating func addBrowsersHalf(_ dialect: inout ProviderDialect) {
        guard issuer.flows.flatMap(\.tokenRequests).contains(where: \.isCodeExchange),
            let folder = dialect.paths[.token]?.first.flatMap(Self.folder(of:))
        else { return }
        let path =
            switch dialect.kind {
            case .auth0: (Self.folder(of: folder) ?? folder) + "/authorize"
            case .keycloak, .glewlwyd: folder + "/auth"
            default: folder + "/authorize"
            }
        dialect.paths[.authorization] = [path]
        remarks.append(
            "the capture has nothing of the browser's half: logins begin at \(path), on a sign-in page of the mock's own"
        )
    }

    /// `/oauth2` of `/oauth2/token`.
    private static func folder(of target: String) -> String? {
        let path = RecordedURL(target).path
        return path.utf8.lastIndex(of: 0x2f).map { String(path[..<$0]) }
    }

    /// Which of its answers pages of other origins could read.
    func addReaders(_ dialect: inout ProviderDialect) {
        for index in issuer.captures {
            for exchange in index.order.lazy.map({ index.capture[$0] }) {
                guard let played = addresses.played(exchange.request.url.withoutQuery) else { continue }
                dialect.readable.note(exchange, at: RecordedURL(played).path)
            }
        }
    }

    /// The recorded document at its addresses, or one of what was seen; always at the issuer's own (OpenID Connect
    /// Discovery, section 4; RFC 8414, section 3).
    func addMetadata(
        _ dialect: inout ProviderDialect,
        _ name: String,
        _ keys: [ProviderConfiguration.SigningKeyEntry]
    ) {
        let documents = metadataDocuments.filter { !isOfAnother($0.document) }
        addMetadataPaths(of: documents, below: RecordedURL(name), &dialect)
        let usable = documents.filter { $0.document.isUsable }
        let best =
            usable.first { isOfLogin($0.document) }
            ?? usable.first { $0.document.issuer?.withoutSlash == issuer.identifier }
            ?? usable.first
        if let response = best?.exchange.response {
            dialect.metadata = AnswerTemplate(response)
            dialect.metadata.members = addresses.rewritten(dialect.metadata.members ?? JSONObject())
        } else {
            dialect.metadata = AnswerTemplate(status: 200, members: seen(dialect, keys))
        }
        var ofAll: JSONObject = ["issuer": .string(name + (issuer.endsWithSlash ? "/" : ""))]
        // Tokens are checked with keys that somebody has to find.
        if !keys.isEmpty, dialect.paths[.keys] == nil {
            dialect.paths[.keys] = [RecordedURL(name).path + "/jwks"]
            ofAll["jwks_uri"] = .string(name + "/jwks")
        }
        for member in ofAll.members { dialect.metadata.members?[member.name] = member.value }
        addFurtherMetadata(&dialect, usable, besides: best?.document.url.withoutQuery, ofAll)
        addOtherIssuers(&dialect)
    }

    /// Where documents are: those of the recording, of which some were refused for good, and those of the issuer.
    private func addMetadataPaths(
        of documents: [(document: MetadataDocument, exchange: Exchange)],
        below own: RecordedURL,
        _ dialect: inout ProviderDialect
    ) {
        for (document, exchange) in documents {
            guard let played = addresses.played(document.url.withoutQuery) else { continue }
            let path = RecordedURL(played).path
            if document.isRouted {
                dialect.metadataPaths.insert(path + "?" + (document.url.query ?? ""))
                continue
            }
            if !document.isUsable, let response = exchange.response {
                dialect.refusedDocuments[path] = AnswerTemplate(response)
            }
            dialect.metadataPaths.insert(path)
        }
        for (document, _) in documents where document.isUsable && !document.isRouted {
            if let played = addresses.played(document.url.withoutQuery) {
                dialect.refusedDocuments[RecordedURL(played).path] = nil
            }
        }
        for wellKnown in ["openid-configuration", "oauth-authorization-server"] {
            dialect.metadataPaths.insert(own.path + "/.well-known/" + wellKnown)
            dialect.metadataPaths.insert("/.well-known/" + wellKnown + own.path)
        }
    }

    /// Whether a document names the authorization endpoint of the first login, where that is known by its query.
    private func isOfLogin(_ document: MetadataDocument) -> Bool {
        guard let login = issuer.flows.lazy.flatMap(\.authorizationRequests).first?.endpoint,
            login.query != nil
        else { return false }
        return document.names(login, as: "authorization_endpoint")
    }

    /// The documents of a provider that has several, at paths of their own or by a query (policies of Azure AD B2C).
    ///
    /// `best`: where the one is that is served for all others; `ofAll`: what each says.
    private func addFurtherMetadata(
        _ dialect: inout ProviderDialect,
        _ documents: [(document: MetadataDocument, exchange: Exchange)],
        besides best: String?,
        _ ofAll: JSONObject
    ) {
        let hasQueries = Set(documents.compactMap(\.document.url.query)).count > 1
        for (document, exchange) in documents {
            guard let response = exchange.response else { continue }
            var template = AnswerTemplate(response)
            template.members = addresses.rewritten(template.members ?? JSONObject())
            for member in ofAll.members { template.members?[member.name] = member.value }
            if hasQueries, let query = document.url.query {
                dialect.metadataByQuery.add(RecordedURL("?\(query)"), template)
            }
            // Of another name for the provider (inside a container network) the one that is used is said.
            guard !document.isRouted, document.url.withoutQuery != best,
                document.issuer?.withoutSlash == issuer.identifier,
                let path = addresses.played(document.url.withoutQuery).map({ RecordedURL($0).path }),
                dialect.metadataByPath[path] == nil
            else { continue }
            dialect.metadataByPath[path] = template
        }
    }

    /// Metadata of authorization servers, in the order of the flows.
    private var metadataDocuments: [(document: MetadataDocument, exchange: Exchange)] {
        issuer.flows.flatMap { flow in
            flow.messages.compactMap { message in
                guard case .discovery(let document) = message, !document.isProtectedResource else {
                    return nil
                }
                return (document, flow.capture[document.exchange])
            }
        }
    }

    // MARK: - Other issuers

    /// Whether a document is the metadata of another issuer, where that one's have to be (OpenID Connect Discovery, section
    /// 4.3).
    private func isOfAnother(_ document: MetadataDocument) -> Bool {
        guard document.isUsable, let name = document.issuer?.withoutSlash else { return false }
        return name != issuer.identifier && name == document.askedIssuer.withoutSlash
    }

    /// Issuers that the client asked about and had nothing else to do with: their metadata are documents like others.
    private var unusedIssuers: [(document: MetadataDocument, exchange: Exchange)] {
        metadataDocuments.filter { document, _ in
            isOfAnother(document) && !played.contains((document.issuer ?? "").withoutSlash)
        }
    }

    private func addOtherIssuers(_ dialect: inout ProviderDialect) {
        for (document, exchange) in unusedIssuers {
            guard let url = addresses.played(document.url.withoutQuery), let response = exchange.response
            else { continue }
            let path = RecordedURL(url).path
            guard !dialect.metadataPaths.contains(path), dialect.documents[path] == nil else { continue }
            var template = AnswerTemplate(response)
            template.members = template.members.map(addresses.rewritten)
            dialect.documents[path] = template
        }
    }

    mutating func tellOfOtherIssuers() {
        var told: Set<String> = []
        for name in unusedIssuers.compactMap(\.document.issuer) where told.insert(name).inserted {
            remarks.append(
                "the capture holds nothing of \(name) but its metadata: its endpoints are not there"
            )
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
            .array(values.eachOnce().map { .string($0) })
        }
        let types = dialect.authorizations.map(\.responseType)
        members["response_types_supported"] = list(types.isEmpty ? ["code"] : types)
        let grants = dialect.tokens.map(\.grantType)
        // Where nobody saw tokens given out: what is done with codes where they are taken, and nothing of it elsewhere.
        let others = dialect.paths[.token] == nil ? ["implicit"] : ["authorization_code", "refresh_token"]
        members["grant_types_supported"] = list(grants.isEmpty ? others : grants)
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
}
