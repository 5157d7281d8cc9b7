import Captures
import JOSE
import JSON
import OAuth

/// Requests that clients send before a user comes: pushed ones (RFC 9126), those of a device (RFC 8628),
/// registrations (RFC 7591).
extension ProviderEngine {
    // MARK: - Pushed requests

    mutating func pushRequest(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        let client: ProviderConfiguration.Client
        do throws(Refused) {
            client = try authenticate(form, request, at: .pushedRequest)
        } catch {
            return error.answer
        }
        var boundKey: String?
        switch proof(of: request, at: .pushedRequest) {
        case .refused(let answer): return answer
        case .none: break
        case .valid(let thumbprint): boundKey = thumbprint
        }
        // RFC 9126, section 2.1: a request_uri cannot be pushed.
        guard !form.contains("request_uri") else { return refuse(.parameterMissing, at: .pushedRequest) }
        let secret: Set<String> = ["client_secret", "client_assertion", "client_assertion_type"]
        var parameters = form.items.filter { !secret.contains($0.name) }.map {
            (name: $0.name, value: $0.value)
        }
        if let text = form.first("request") {
            guard let claims = requestObject(text, client) else {
                return refuse(.requestObjectInvalid, at: .pushedRequest)
            }
            parameters =
                claims
                + parameters.filter { item in
                    item.name != "request" && !claims.contains { $0.name == item.name }
                }
        }
        if let boundKey, !parameters.contains(where: { $0.name == "dpop_jkt" }) {
            parameters.append(("dpop_jkt", boundKey))
        }
        let lifetime = dialect.pushedRequest?.members?["expires_in"]?.int ?? 60
        let uri = fresh("request_uri")
        state.pushedRequests[uri] = ProviderState.PushedRequest(
            clientID: client.id,
            parameters: parameters,
            expiresAt: now + .seconds(lifetime)
        )
        var answer = BuiltAnswer(
            like: dialect.pushedRequest ?? AnswerTemplate(status: 201),
            role: .pushedRequest
        )
        var members =
            dialect.pushedRequest?.members ?? [
                "request_uri": "", "expires_in": .number(JSONNumber(lifetime)),
            ]
        members["request_uri"] = .string(uri)
        answer.content = .object(members)
        return answer
    }

    // MARK: - Devices

    mutating func authorizeDevice(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        let client: ProviderConfiguration.Client
        do throws(Refused) {
            client = try deviceClient(form, request)
        } catch {
            return error.answer
        }
        let template = dialect.deviceAuthorization
        var members = template?.answer.members ?? standardDevice
        let recorded = (code: members["device_code"]?.string, user: members["user_code"]?.string)
        let code =
            recorded.code.map { $0.isEmpty ? fresh("device_code") : ValueShape(like: $0).make(random) }
            ?? fresh("device_code")
        let userCode = ValueShape(like: recorded.user.flatMap { $0.isEmpty ? nil : $0 } ?? "WDJB-MJHT").make(
            random
        )
        var device = ProviderState.DeviceGrant(
            clientID: client.id,
            scope: dialect.granted(form.first("scope") ?? ""),
            userCode: userCode,
            expiresAt: now + .seconds(members["expires_in"]?.int ?? 600),
            interval: min(max(members["interval"]?.int ?? 5, 0), 3600)
        )
        if let old = recorded.code { device.values[old] = code }
        if let old = recorded.user { device.values[old] = userCode }
        state.devices[code] = device
        let values = device.values.map { (old: $0.key, new: $0.value) }
        let substitution = Substitution(values.filter { !$0.old.isEmpty }, addresses: dialect.addresses)
        for member in members.members {
            guard let text = member.value.string else { continue }
            members[member.name] = .string(substitution.applied(to: text))
        }
        members["device_code"] = .string(code)
        members["user_code"] = .string(userCode)
        if template == nil, let page = members["verification_uri"]?.string {
            members["verification_uri_complete"] = .string(page + "?user_code=" + userCode)
        }
        var answer = BuiltAnswer(
            like: template?.answer ?? AnswerTemplate(status: 200),
            role: .deviceAuthorization
        )
        answer.content = .object(members)
        return answer
    }

    /// Devices may name themselves without a proof, though they have a secret (Google).
    private mutating func deviceClient(_ form: QueryItems, _ request: RecordedRequest) throws(Refused)
        -> ProviderConfiguration.Client
    {
        let authentication = ClientAuthentication(
            of: request,
            exchange: 0,
            parameters: Parameters(form, of: 0, in: .requestBody)
        )
        if authentication.methods == [.none], let client = client(authentication.clientID?.value) {
            return client
        }
        return try authenticate(form, request, at: .deviceAuthorization)
    }

    private var standardDevice: JSONObject {
        [
            "device_code": "", "user_code": "", "verification_uri": .string(configuration.issuer + "/device"),
            "expires_in": 600, "interval": 5,
        ]
    }

    /// A device asks whether its user has agreed (RFC 8628, section 3.4).
    mutating func poll(_ form: QueryItems, _ client: ProviderConfiguration.Client, _ boundKey: String?)
        -> BuiltAnswer
    {
        guard let code = form.first("device_code"), var device = state.devices[code],
            device.clientID == client.id, !device.isUsed
        else { return refuse(.deviceUnknown, at: .token) }
        guard device.expiresAt > now else { return refuse(.deviceExpired, at: .token) }
        defer { state.devices[code] = device }
        if device.isDenied { return refuse(.deviceDenied, at: .token) }
        let isFast = device.lastPoll.map { now - $0 < .seconds(device.interval) } ?? false
        device.lastPoll = now
        device.polls += 1
        if let pending = dialect.pendingPolls {
            // As recorded, who had to wait was told so already.
            guard policy.isAsRecorded || device.polls > pending else {
                return refuse(.devicePending, at: .token)
            }
            device.user = device.user ?? deviceUser(client)
        } else if device.user == nil {
            if isFast {
                // RFC 8628, section 3.5: from now on five seconds more.
                device.interval += 5
                return refuse(.deviceTooFast, at: .token)
            }
            return refuse(.devicePending, at: .token)
        }
        guard let user = device.user else { return refuse(.devicePending, at: .token) }
        device.isUsed = true
        let grant = ProviderState.Grant(
            clientID: client.id,
            user: user,
            scope: device.scope,
            challengeMethod: "plain",
            signedInAt: now,
            family: identifier(),
            boundKey: boundKey,
            values: device.values
        )
        return issue(grant, GrantType.deviceCode)
    }

    /// The built-in page at which the user of a device agrees (RFC 8628, section 3.3).
    mutating func verifyDevice(_ request: RecordedRequest) -> BuiltAnswer {
        let path = request.url.path
        guard request.method == "POST" else {
            let code = request.url.queryItems.first("user_code") ?? ""
            return .page(200, SignInPage.device(code: code, action: path))
        }
        let form = Self.form(of: request)
        let typed = form.first("user_code") ?? ""
        guard let (code, device) = state.devices.newestFirst.first(where: { $0.value.userCode == typed }),
            device.expiresAt > now, device.user == nil, !device.isDenied
        else {
            return .page(
                200,
                SignInPage.device(code: typed, action: path, message: "This code is not known.")
            )
        }
        if form.first("action") == "deny" {
            state.devices[code]?.isDenied = true
            return .page(200, SignInPage.deviceDone(isAllowed: false))
        }
        let credentials = SignInCredentials(user: form.first("username"), password: form.first("password"))
        guard let user = user(with: credentials) else {
            let page = SignInPage.device(code: typed, action: path, message: "Name or password is wrong.")
            return .page(200, page)
        }
        state.devices[code]?.user = user
        return .page(200, SignInPage.deviceDone(isAllowed: true))
    }

    private func deviceUser(_ client: ProviderConfiguration.Client) -> ProviderConfiguration.User? {
        let recorded = dialect.tokens.first {
            $0.grantType == GrantType.deviceCode && $0.clientID == client.id
        }
        return configuration.users.first { $0.subject == recorded?.origin.subject }
            ?? configuration.users.first
    }

    // MARK: - Registration

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
