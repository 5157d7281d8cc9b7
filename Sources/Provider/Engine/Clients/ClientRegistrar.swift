import Captures
import JOSE
import JSON

/// What clients that register themselves get (RFC 7591, RFC 7592), and what they are refused for.
///
/// Remembers nothing: who registered is kept by whoever asks.
struct ClientRegistrar {
    let configuration: ProviderConfiguration
    let dialect: ProviderDialect
    let random: @Sendable (Int) -> [UInt8]
    private let now: Timestamp

    init(_ context: ProviderContext) {
        configuration = context.configuration
        dialect = context.dialect
        random = context.random
        now = context.now
    }

    /// What a client that registers itself has from now on.
    ///
    /// - Throws: what it is refused for.
    func registered(_ sent: JSONObject) throws(Refusal) -> ClientRegistration {
        let redirectURIs = sent["redirect_uris"]?.array?.compactMap(\.string) ?? []
        guard Self.mayBeRegistered(redirectURIs, for: sent["grant_types"]) else { throw .redirectURIInvalid }
        if let refusal = refusal(ofMetadata: sent) { throw refusal }
        let template = dialect.registration
        var members = registered(sent, like: template)
        let method = members["token_endpoint_auth_method"]?.string ?? "client_secret_basic"
        var client = ProviderConfiguration.Client(
            id: dialect.shapes.fresh("client_id", random),
            redirectURIs: redirectURIs,
            requiresPKCE: false
        )
        client.authenticationMethods = [method]
        let wantsSecret =
            template == nil ? method.hasPrefix("client_secret") : members["client_secret"] != nil
        addCredentials(to: &client, telling: &members, wantsSecret: wantsSecret)
        // Providers that know no such member take what they took then.
        let recorded = template?.answer.members?["client_id"]?.string
        client.postLogoutRedirectURIs =
            sent["post_logout_redirect_uris"]?.array?.compactMap(\.string)
            ?? configuration.clients.first { $0.id == recorded }?.postLogoutRedirectURIs ?? []
        client.standsFor = recorded
        client.keys = sent["jwks"].flatMap { JSONWebKeySet(json: $0) }?.keys ?? []
        agree(on: &members, with: &client)
        return ClientRegistration(client: client, members: members)
    }

    /// A registration that its client changes (RFC 7592, section 2.2); what is not sent stays.
    ///
    /// - Throws: what it is refused for.
    func updated(_ registration: ClientRegistration, with sent: JSONObject) throws(Refusal)
        -> ClientRegistration
    {
        var (client, members) = (registration.client, registration.members)
        let own = ["client_id": client.id, "client_secret": client.secret]
        for (name, value) in own where sent[name] != nil && sent[name]?.string != value {
            throw .metadataForeign
        }
        // Section 2.2: a client says whose registration it is.
        if dialect.registration == nil, sent["client_id"] == nil { throw .metadataForeign }
        if let refusal = refusal(ofMetadata: sent) { throw refusal }
        if let sentURIs = sent["redirect_uris"] {
            let uris = sentURIs.array?.compactMap(\.string) ?? []
            let grants = sent["grant_types"] ?? members["grant_types"]
            guard Self.mayBeRegistered(uris, for: grants) else { throw .redirectURIInvalid }
            client.redirectURIs = uris
        }
        if let uris = sent["post_logout_redirect_uris"]?.array?.compactMap(\.string) {
            client.postLogoutRedirectURIs = uris
        }
        if let keys = sent["jwks"].flatMap({ JSONWebKeySet(json: $0) }) { client.keys = keys.keys }
        for member in sent.members where own[member.name] == nil && !Self.given.contains(member.name) {
            members[member.name] = member.value
        }
        if dialect.registration == nil { members = completed(members) }
        if let method = members["token_endpoint_auth_method"]?.string {
            client.authenticationMethods = [method]
        }
        agree(on: &members, with: &client)
        return ClientRegistration(client: client, members: members)
    }

    /// What the provider gives a client, and tells it: its name, its secret, and how it comes back to its registration (RFC 7591,
    /// section 3.2.1; RFC 7592, section 3); of a recorded provider what that one gave.
    private func addCredentials(
        to client: inout ProviderConfiguration.Client,
        telling members: inout JSONObject,
        wantsSecret: Bool
    ) {
        let isStandard = dialect.registration == nil
        members["client_id"] = .string(client.id)
        if isStandard || members["client_id_issued_at"] != nil {
            members["client_id_issued_at"] = JSONValue(now.seconds)
        }
        if wantsSecret {
            let secret = dialect.shapes.fresh("client_secret", random)
            client.secret = secret
            members["client_secret"] = .string(secret)
            if isStandard { members["client_secret_expires_at"] = 0 }
        }
        if isStandard || members["registration_access_token"] != nil {
            let token = dialect.shapes.fresh("registration_access_token", random)
            client.registrationToken = token
            members["registration_access_token"] = .string(token)
        }
        if let uri = members["registration_client_uri"]?.string ?? (isStandard ? "" : nil) {
            members["registration_client_uri"] = .string(address(ofRegistration: client.id, like: uri))
        }
    }

    /// RFC 7591, section 2: whoever is answered by redirects says where to.
    ///
    /// `grants`: the member `grant_types`; a code where there is none.
    private static func mayBeRegistered(_ redirectURIs: [String], for grants: JSONValue?) -> Bool {
        let grants = grants?.array?.compactMap(\.string) ?? ["authorization_code"]
        let redirects = grants.contains { $0 == "authorization_code" || $0 == "implicit" }
        return (!redirectURIs.isEmpty || !redirects)
            && redirectURIs.map { RecordedURL($0) }.allSatisfy {
                $0.isAbsoluteWithoutFragment && !$0.isContent
            }
    }

    /// Where a client's registration is (RFC 7592, section 3): by its last segment, or by the query where the recorded one was.
    ///
    /// `recorded`: as it is played; empty where none is known.
    private func address(ofRegistration id: String, like recorded: String) -> String {
        guard !recorded.isEmpty else { return configuration.issuer + "/register/" + id }
        let url = RecordedURL(recorded)
        if let name = url.queryItems.items.first(where: { $0.name == "client_id" })?.name {
            return url.withoutQuery + "?" + FormBody.encode([(name, id)])
        }
        let place = url.withoutQuery
        return place.prefix(upTo: place.lastSlash) + "/" + id
    }

    /// What the client sent is repeated, what the provider added of its own stays.
    private func registered(_ sent: JSONObject, like template: (sent: JSONObject, answer: AnswerTemplate)?)
        -> JSONObject
    {
        guard let template, let recorded = template.answer.members else { return completed(sent) }
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

    /// A registration as it is kept: with the defaults of what the client leaves out, and without what is not done here (RFC 7591,
    /// sections 2 and 3.2.1; OpenID Connect Registration, section 2).
    private func completed(_ sent: JSONObject) -> JSONObject {
        // RFC 7592, section 2.2: what is null is left out.
        var members = JSONObject(sent.members.filter { $0.value != .null })
        if members["token_endpoint_auth_method"] == nil {
            members["token_endpoint_auth_method"] = "client_secret_basic"
        }
        let grants = members["grant_types"] ?? ["authorization_code"]
        members["grant_types"] = grants
        if members["response_types"] == nil, grants.array?.contains("authorization_code") ?? false {
            members["response_types"] = ["code"]
        }
        for name in ["id_token_signed_response_alg", "authorization_signed_response_alg"] {
            members[name] = members[name].map { .string(algorithm(named: $0).rawValue) }
        }
        for name in Self.notDone { members[name] = nil }
        if members["backchannel_token_delivery_mode"] != nil,
            BackchannelDelivery(members) == .poll
        {
            members["backchannel_token_delivery_mode"] = "poll"
            members[BackchannelDelivery.endpointName] = nil
        }
        if members["subject_type"] != nil { members["subject_type"] = "public" }
        return members
    }

    /// What of a client's metadata cannot be (RFC 7591, section 2); what a recorded provider makes of it nobody saw.
    private func refusal(ofMetadata sent: JSONObject) -> Refusal? {
        guard dialect.registration == nil else { return nil }
        if let method = sent["token_endpoint_auth_method"], method != .null,
            !(method.string.map { Self.authenticationMethods.contains($0) } ?? false)
        {
            return .authenticationMethodUnknown
        }
        let isDoubled = ["jwks", "jwks_uri"].allSatisfy { sent[$0].map { $0 != .null } ?? false }
        return isDoubled ? .keysDoubled : nil
    }

    /// Ways of authentication that a client may register for (OpenID Connect Core, section 9; RFC 8705, section 2).
    private static let authenticationMethods: Set<String> = [
        "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none",
        "tls_client_auth", "self_signed_tls_client_auth",
    ]

    /// What clients may ask for, and are not told that they have: nobody is held to a key or to pushed requests here, or has a name
    /// for each client.
    private static let notDone = [
        "introspection_signed_response_alg", "introspection_encrypted_response_alg",
        "introspection_encrypted_response_enc", "dpop_bound_access_tokens",
        "tls_client_certificate_bound_access_tokens", "require_pushed_authorization_requests",
        "sector_identifier_uri",
    ]

    /// What the provider alone says of a registration: none of it is the client's to send (RFC 7592, section 2.2).
    private static let given: Set<String> = [
        "registration_access_token", "registration_client_uri", "client_id_issued_at",
        "client_secret_expires_at",
    ]
}

extension String {
    fileprivate var lastSlash: Index { utf8.lastIndex(of: 0x2f) ?? endIndex }
}
