import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What the recorded provider had issued before the recording began: codes, tokens and sessions that are used in it
/// without having been given out in it.
struct SeedFinder {
    private let issuer: RecordedIssuer
    private let configuration: ProviderConfiguration
    private let users: [UserFinder.FlowKey: String]

    init(
        _ issuer: RecordedIssuer,
        configuration: ProviderConfiguration,
        users: [UserFinder.FlowKey: String]
    ) {
        self.issuer = issuer
        self.configuration = configuration
        self.users = users
    }

    func state() -> ProviderState {
        var state = ProviderState()
        for flow in issuer.flows {
            let issued = IssuedValues.of(flow.surroundings).tokens
            for request in flow.tokenRequests where request.answer.isSuccess {
                let client = flow.client(named: request.authentication)
                var grant = grant(flow, client, request.parameters["scope"])
                // What the answer shows of its client.
                grant.clientID = client ?? grant.clientID
                grant.nonce = nonce(request, flow)
                if let code = request.code, !issued.contains(code) {
                    state.issued.codes[code] = ProviderState.Code(grant: grant, issuedAt: Self.always)
                }
                // Whose it is, who used it first shows.
                if let token = request.refreshToken, !issued.contains(token),
                    state.issued.refreshTokens[token] == nil
                {
                    state.issued.refreshTokens[token] = ProviderState.RefreshToken(grant: grant)
                }
                if let code = request.parameters["device_code"], !issued.contains(code) {
                    state.devices[code] = device(grant)
                }
                for name in GrantType.exchanged.values {
                    guard let token = request.parameters[name], !issued.contains(token),
                        JSONWebToken.parse(token).map({ $0.issuer != $0.subject }) ?? true
                    else { continue }
                    state.issued.accessTokens[token] = foreign(grant, flow)
                }
                if let name = request.parameters["auth_req_id"], !issued.contains(name) {
                    state.backchannelRequests[name] = device(grant)
                }
            }
            for message in flow.messages { seed(message, flow, issued, &state) }
            seedSessions(flow, &state)
        }
        return state
    }

    /// What its ID token says of a login that began before the recording did.
    private func nonce(_ request: TokenRequest, _ flow: Flow) -> String? {
        guard flow.authorizationRequests.isEmpty, let token = request.idToken else { return nil }
        return flow.surroundings.readable(token).token.claim("nonce")?.string
    }

    /// Late enough for nothing to have run out.
    private static let always = Timestamp(nanoseconds: Int64.max / 2)

    private func seed(
        _ message: OAuthMessage,
        _ flow: Flow,
        _ issued: Set<String>,
        _ state: inout ProviderState
    ) {
        let token: String?
        switch message {
        case .userInfo(let call) where call.answer.isSuccess: token = call.token?.value
        case .resource(let call) where call.answer.isSuccess: token = call.token?.value
        case .introspection(let call) where call.answer.json?["active"]?.bool == true:
            token = call.parameters["token"]
        default: return
        }
        guard let token, !issued.contains(token) else { return }
        state.issued.accessTokens[token] = foreign(grant(flow, nil, nil), flow)
    }

    /// A token of an earlier time, which nobody saw the end of.
    private func foreign(_ grant: ProviderState.Grant, _ flow: Flow) -> ProviderState.AccessToken {
        ProviderState.AccessToken(grant: grant, issuedAt: flow.started, expiresAt: Self.always)
    }

    /// Cookies that came with an authorization request and were never set.
    private func seedSessions(_ flow: Flow, _ state: inout ProviderState) {
        let set = IssuedValues.of(flow.surroundings).cookies
        for login in flow.wholeLogins where login.response?.deliveredBy == login.request.exchange {
            guard login.response?.error == nil, let user = user(of: flow) else { continue }
            let session = ProviderState.Session(user: user, signedInAt: flow.started)
            for cookie in flow.capture[login.request.exchange].request.cookies
            where !set.contains(cookie.value) && cookie.value.utf8.count >= 8 {
                state.sessions["seed " + cookie.value] = session
                state.sessions.recognize("seed " + cookie.value, by: cookie.value)
            }
        }
    }

    // MARK: -

    private func grant(_ flow: Flow, _ clientID: String?, _ scope: String?) -> ProviderState.Grant {
        var grant = ProviderState.Grant(
            clientID: clientID ?? flow.clientID ?? configuration.clients.first?.id ?? "",
            user: user(of: flow),
            scope: scope ?? flow.authorizationRequests.last?.parameters["scope"] ?? Self.scope(of: flow)
                ?? "openid",
            signedInAt: flow.started,
            family: "seed " + flow.id
        )
        grant.isForeign = true
        return grant
    }

    private static func scope(of flow: Flow) -> String? {
        flow.tokenRequests.lazy.compactMap { $0.answer.parameters["scope"] }.first
    }

    private func user(of flow: Flow) -> ProviderConfiguration.User? {
        let subject = users[UserFinder.FlowKey(flow)]
        return configuration.likelyUser(subject: subject)
    }

    private func device(_ grant: ProviderState.Grant) -> ProviderState.DeviceGrant {
        ProviderState.DeviceGrant(
            clientID: grant.clientID,
            scope: grant.scope,
            expiresAt: Self.always,
            interval: 0
        )
    }
}
