import Captures
import JOSE
import JSON
import OAuth

/// Clients that register themselves (RFC 7591, RFC 7592).
extension ProviderEngine {
    mutating func register(_ request: RecordedRequest) -> BuiltAnswer {
        guard let sent = request.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object else {
            return refuse(.metadataInvalid, at: .registration)
        }
        let grants = sent["grant_types"]?.array?.compactMap(\.string) ?? ["authorization_code"]
        let redirectURIs = sent["redirect_uris"]?.array?.compactMap(\.string) ?? []
        guard !redirectURIs.isEmpty || !grants.contains("authorization_code") else {
            return refuse(.redirectURIInvalid, at: .registration)
        }
        let template = dialect.registration
        var members = registered(sent, like: template)
        let id = fresh("client_id")
        let method = members["token_endpoint_auth_method"]?.string ?? "client_secret_basic"
        members["client_id"] = .string(id)
        if template == nil || members["client_id_issued_at"] != nil {
            members["client_id_issued_at"] = .number(JSONNumber(now.seconds))
        }
        var client = ProviderConfiguration.Client(id: id, redirectURIs: redirectURIs, requiresPKCE: false)
        if template == nil ? method.hasPrefix("client_secret") : members["client_secret"] != nil {
            let secret = fresh("client_secret")
            client.secret = secret
            members["client_secret"] = .string(secret)
            if template == nil { members["client_secret_expires_at"] = 0 }
        }
        if members["registration_access_token"] != nil || template == nil {
            let token = fresh("registration_access_token")
            client.registrationToken = token
            members["registration_access_token"] = .string(token)
        }
        if let uri = members["registration_client_uri"]?.string ?? (template == nil ? "" : nil) {
            let path = RecordedURL(uri).withoutQuery
            let endpoint =
                path.isEmpty ? configuration.issuer + "/register" : String(path.prefix(upTo: path.lastSlash))
            members["registration_client_uri"] = .string(endpoint + "/" + id)
        }
        // Providers that know no such member take what they took then.
        let recorded = template?.answer.members?["client_id"]?.string
        client.postLogoutRedirectURIs =
            sent["post_logout_redirect_uris"]?.array?.compactMap(\.string)
            ?? configuration.clients.first { $0.id == recorded }?.postLogoutRedirectURIs ?? []
        client.authenticationMethods = [method]
        client.standsFor = recorded
        client.idTokenAlgorithm = configuration.keys.first?.algorithm ?? .rs256
        client.keys = sent["jwks"].flatMap { JSONWebKeySet(json: $0) }?.keys ?? []
        state.registeredClients[id] = client
        state.registrations[id] = members
        var answer = BuiltAnswer(like: template?.answer ?? AnswerTemplate(status: 201), role: .registration)
        answer.content = .object(members)
        return answer
    }

    /// What the client sent is repeated, what the provider added of its own stays.
    private func registered(_ sent: JSONObject, like template: (sent: JSONObject, answer: AnswerTemplate)?)
        -> JSONObject
    {
        guard let template, let recorded = template.answer.members else { return sent }
        var members = recorded
        for member in recorded.members where template.sent[member.name] == member.value {
            members[member.name] = sent[member.name]
        }
        for member in recorded.members {
            guard let text = member.value.string, template.sent[member.name] == nil else { continue }
            members[member.name] = .string(dialect.addresses.rewritten(text))
        }
        for member in sent.members where recorded[member.name] == nil && template.sent[member.name] == nil {
            members[member.name] = member.value
        }
        return members
    }

    /// A client reads, changes or ends its registration (RFC 7592, section 2).
    mutating func manageRegistration(_ request: RecordedRequest) -> BuiltAnswer {
        let id = request.url.path.split(separator: "/").last.map(String.init) ?? ""
        guard let client = state.registeredClients[id], let token = client.registrationToken,
            BearerToken.of(request, exchange: 0)?.value == token
        else {
            return refuse(.tokenInvalid, at: .registration, headers: [("WWW-Authenticate", "Bearer")])
        }
        switch request.method {
        case "DELETE":
            state.registeredClients[id] = nil
            state.registrations[id] = nil
            return BuiltAnswer(204, role: .registration)
        case "PUT":
            guard let sent = request.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object else {
                return refuse(.metadataInvalid, at: .registration)
            }
            for member in sent.members where member.name != "client_id" && member.name != "client_secret" {
                state.registrations[id]?[member.name] = member.value
            }
            if let uris = sent["redirect_uris"]?.array?.compactMap(\.string), !uris.isEmpty {
                state.registeredClients[id]?.redirectURIs = uris
            }
        default: break
        }
        return .json(state.registrations[id] ?? JSONObject(), role: .registration)
    }
}

extension String {
    fileprivate var lastSlash: Index { utf8.lastIndex(of: 0x2f) ?? endIndex }
}
