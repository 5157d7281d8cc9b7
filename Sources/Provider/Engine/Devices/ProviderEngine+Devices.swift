import Captures
import JSON
import OAuth

/// Devices without a browser of their own (RFC 8628).
extension ProviderEngine {
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
            recorded.code.map {
                $0.isEmpty ? context.fresh("device_code") : ValueTemplate(like: $0).make(random)
            }
            ?? context.fresh("device_code")
        let userCode = ValueTemplate(like: recorded.user.flatMap { $0.isEmpty ? nil : $0 } ?? "WDJB-MJHT")
            .make(
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
        let authentication = ClientAuthentication(of: request, form)
        if authentication.methods == [.none], let client = clients.client(authentication.clientID?.value) {
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

    /// A client asks whether its user has agreed (RFC 8628, section 3.4; OpenID Connect CIBA, section 10.1).
    mutating func poll(_ form: QueryItems, _ client: ProviderConfiguration.Client, _ boundKey: String?)
        -> BuiltAnswer
    {
        // OpenID Connect CIBA, section 11: who is sent its tokens asks for none.
        if form.first("grant_type") == GrantType.ciba, backchannelDelivery(to: client) == .push {
            return refuse(.grantTypeUnregistered, at: .token, "the client is sent its tokens (push)")
        }
        return form.first("grant_type") == GrantType.ciba
            ? poll(
                for: form.first("auth_req_id"),
                in: \.backchannelRequests,
                GrantType.ciba,
                pending: dialect.pendingBackchannelPolls,
                client,
                boundKey
            )
            : poll(
                for: form.first("device_code"),
                in: \.devices,
                GrantType.deviceCode,
                pending: dialect.pendingPolls ?? (policy.autoLogin == nil ? nil : 0),
                client,
                boundKey
            )
    }

    /// `pending`: how often is said that the user has not answered; nil where a user is there.
    private mutating func poll(
        for code: String?,
        in table: WritableKeyPath<ProviderState, LimitedTable<ProviderState.DeviceGrant>>,
        _ grantType: String,
        pending: Int?,
        _ client: ProviderConfiguration.Client,
        _ boundKey: String?
    ) -> BuiltAnswer {
        guard let code, !code.isEmpty else {
            return refuseWithout(grantType == GrantType.ciba ? "auth_req_id" : "device_code")
        }
        guard var device = state[keyPath: table][code], device.clientID == client.id, !device.isUsed else {
            return refuse(.deviceUnknown, at: .token)
        }
        defer { state[keyPath: table][code] = device }
        // As recorded, who had to wait was told so already.
        let pending = pending.map { policy.isAsRecorded ? 0 : $0 }
        let user: ProviderConfiguration.User
        switch device.poll(at: now, pending: pending, agreedBy: deviceUser(client.id, grantType)) {
        case .refused(let refusal): return refuse(refusal, at: .token)
        case .agreed(let agreed): user = agreed
        }
        let grant = ProviderState.Grant(
            clientID: client.id,
            user: user,
            scope: device.scope,
            signedInAt: now,
            family: context.identifier(),
            boundKey: boundKey,
            values: device.values
        )
        return issue(grant, grantType)
    }

    /// The built-in page at which the user of a device agrees (RFC 8628, section 3.3).
    mutating func verifyDevice(_ request: RecordedRequest) -> BuiltAnswer {
        let path = request.url.path
        guard request.method == "POST" else {
            let code = request.url.queryItems.first("user_code") ?? ""
            return confirmAtOnce(code) ?? .page(200, SignInPage.device(code: code, action: path))
        }
        let form = request.sentForm
        let typed = form.first("user_code") ?? ""
        if form.first("action") != "deny", let answer = confirmAtOnce(typed) { return answer }
        guard
            let (code, device) = state.devices.entry(ofUserCode: typed), device.expiresAt > now,
            device.user == nil, !device.isDenied
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
        guard let user = configuration.user(with: credentials) else {
            let page = SignInPage.device(code: typed, action: path, message: "Name or password is wrong.")
            return .page(200, page)
        }
        state.devices[code]?.user = user
        return .page(200, SignInPage.deviceDone(isAllowed: true))
    }

    /// Connects a device for whoever is signed in without any page; nil where somebody is to be asked, or the code is not
    /// known.
    ///
    /// A device that has its tokens already stays connected: the client may have polled before the page was opened.
    private mutating func confirmAtOnce(_ userCode: String) -> BuiltAnswer? {
        guard policy.autoLogin != nil, let (code, device) = state.devices.entry(ofUserCode: userCode),
            device.expiresAt > now, !device.isDenied,
            let user = device.user ?? deviceUser(device.clientID, GrantType.deviceCode)
        else { return nil }
        state.devices[code]?.user = user
        return .page(200, SignInPage.deviceDone(isAllowed: true))
    }

    /// Who agrees where nobody is asked: whom the policy names, else whom the recording shows.
    private func deviceUser(_ clientID: String, _ grantType: String) -> ProviderConfiguration.User? {
        if let named = autoLoginUserByName { return named }
        let recordedID = clients.recordedID(clientID)
        let recorded = dialect.tokens.first { $0.grantType == grantType && $0.clientID == recordedID }
        return configuration.likelyUser(subject: recorded?.origin.subject)
    }
}
