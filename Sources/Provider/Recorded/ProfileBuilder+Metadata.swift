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
    func addMetadata(
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
        dialect.metadata.members?["issuer"] = .string(name + (issuer.endsWithSlash ? "/" : ""))
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
}
