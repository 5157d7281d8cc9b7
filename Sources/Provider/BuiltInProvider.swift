package import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Synchronization

/// An OpenID provider as a pure responder: requests and the time in, answers out.
///
/// No socket, no clock.
///
/// Speaks the code flow with PKCE (RFC 7636, enforced to the letter), client authentication by Basic and
/// body, refresh with rotation, userinfo, revocation and logout; codes are single-use, and what is used twice
/// ends everything issued with it.
package final class BuiltInProvider: Sendable {
    private let configuration: ProviderConfiguration
    private let random: @Sendable (Int) -> [UInt8]
    private let state = Mutex(ProviderState())

    /// `random`: so many random bytes; a test gives its own.
    package init(
        _ configuration: ProviderConfiguration,
        random: @escaping @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }
    ) {
        self.configuration = configuration
        self.random = random
    }

    package func respond(to request: RecordedRequest, at now: Timestamp) -> RecordedResponse {
        state.withLock { state in
            var session = Session(configuration: configuration, random: random, now: now, state: state)
            defer { state = session.state }
            return session.respond(to: request)
        }
    }

    /// One request being answered.
    private struct Session {
        let configuration: ProviderConfiguration
        let random: @Sendable (Int) -> [UInt8]
        let now: Timestamp
        var state: ProviderState

        mutating func respond(to request: RecordedRequest) -> RecordedResponse {
            let base = RecordedURL(configuration.issuer).path
            let path = request.url.path
            guard path.hasPrefix(base) else {
                return Reply.html(404, SignInPage.error("There is nothing at this address."))
            }
            let form = FormBody.items(of: request.body) ?? QueryItems()
            switch (request.method, path.dropFirst(base.count)) {
            case ("GET", "/.well-known/openid-configuration"): return Reply.json(200, metadata)
            case ("GET", "/jwks"): return Reply.json(200, keySet)
            case ("GET", "/authorize"): return authorize(request.url.queryItems, request)
            case ("POST", "/authorize"): return signIn(form)
            case ("POST", "/token"): return token(form, request)
            case ("GET", "/userinfo"), ("POST", "/userinfo"): return userInfo(request)
            case ("POST", "/revoke"): return revoke(form, request)
            case ("GET", "/logout"): return logout(request.url.queryItems)
            case ("POST", "/logout"): return logout(form)
            default: return Reply.html(404, SignInPage.error("There is nothing at this address."))
            }
        }

        // MARK: - Documents

        private var metadata: JSONObject {
            let issuer = configuration.issuer
            let algorithms = Set(configuration.keys.map(\.algorithm.rawValue)).sorted()
            return [
                "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
                "token_endpoint": .string(issuer + "/token"),
                "userinfo_endpoint": .string(issuer + "/userinfo"),
                "jwks_uri": .string(issuer + "/jwks"), "revocation_endpoint": .string(issuer + "/revoke"),
                "end_session_endpoint": .string(issuer + "/logout"), "response_types_supported": ["code"],
                "response_modes_supported": ["query", "form_post"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": .array(algorithms.map { .string($0) }),
                "scopes_supported": ["openid", "profile", "email", "offline_access"],
                "token_endpoint_auth_methods_supported": [
                    "client_secret_basic", "client_secret_post", "none",
                ],
                "code_challenge_methods_supported": ["S256", "plain"],
                "authorization_response_iss_parameter_supported": true,
            ]
        }

        private var keySet: JSONObject {
            let keys = configuration.keys.map {
                JSONWebKey($0.key.publicKey, id: $0.id, algorithm: $0.algorithm)
            }
            return JSONWebKeySet(keys: keys).json.object ?? JSONObject()
        }

        // MARK: - Authorization endpoint

        private mutating func authorize(_ query: QueryItems, _ request: RecordedRequest) -> RecordedResponse {
            guard let client = configuration.clients.first(where: { $0.id == query.first("client_id") })
            else {
                return Reply.html(400, SignInPage.error("The client is not known here."))
            }
            guard let redirectURI = query.first("redirect_uri"), client.redirectURIs.contains(redirectURI)
            else {
                return Reply.html(
                    400,
                    SignInPage.error("The redirect_uri is not registered for this client.")
                )
            }
            let pending = ProviderState.Pending(
                clientID: client.id,
                redirectURI: redirectURI,
                scope: query.first("scope") ?? "",
                state: query.first("state"),
                nonce: query.first("nonce"),
                challenge: query.first("code_challenge"),
                challengeMethod: query.first("code_challenge_method") ?? "plain",
                responseMode: query.first("response_mode") ?? "query"
            )
            if let (error, description) = refusal(of: query, pending, client) {
                return deliver([("error", error), ("error_description", description)], pending)
            }
            let session = request.cookie("session").flatMap { state.sessions[$0] }
            let prompt = query.first("prompt")?.split(separator: " ") ?? []
            if let session, !prompt.contains("login") {
                return deliver([("code", issueCode(pending, session))], pending)
            }
            if prompt.contains("none") {
                return deliver(
                    [("error", "login_required"), ("error_description", "there is no session")],
                    pending
                )
            }
            let transaction = token(16)
            state.pending[transaction] = pending
            return Reply.html(
                200,
                SignInPage.html(client: client.id, transaction: transaction, action: request.url.path)
            )
        }

        /// What is wrong with a request whose redirect URI is right: told to the client (RFC 6749, section
        /// 4.1.2.1).
        private func refusal(
            of query: QueryItems,
            _ pending: ProviderState.Pending,
            _ client: ProviderConfiguration.Client
        ) -> (String, String)? {
            guard query.first("response_type") == "code" else {
                return ("unsupported_response_type", "response_type has to be code")
            }
            guard ["query", "form_post"].contains(pending.responseMode) else {
                return ("invalid_request", "response_mode is not supported")
            }
            guard ["S256", "plain"].contains(pending.challengeMethod) else {
                return ("invalid_request", "code_challenge_method is not supported")
            }
            if client.requiresPKCE, pending.challenge?.isEmpty ?? true {
                return ("invalid_request", "code_challenge is required")
            }
            return nil
        }

        private mutating func signIn(_ form: QueryItems) -> RecordedResponse {
            guard let transaction = form.first("transaction"), let pending = state.pending[transaction] else {
                return Reply.html(400, SignInPage.error("This page has been used already."))
            }
            if form.first("action") == "cancel" {
                state.pending[transaction] = nil
                return deliver(
                    [("error", "access_denied"), ("error_description", "the user cancelled")],
                    pending
                )
            }
            guard let user = configuration.users.first(where: { $0.name == form.first("username") }),
                user.password == form.first("password")
            else {
                let action = RecordedURL(configuration.issuer).path + "/authorize"
                let message = "Name or password is wrong."
                return Reply.html(
                    200,
                    SignInPage.html(
                        client: pending.clientID,
                        transaction: transaction,
                        action: action,
                        message: message
                    )
                )
            }
            state.pending[transaction] = nil
            let id = token(16)
            let session = ProviderState.Session(user: user, signedInAt: now)
            state.sessions[id] = session
            return deliver(
                [("code", issueCode(pending, session))],
                pending,
                headers: [("Set-Cookie", "session=\(id); Path=/; HttpOnly; Secure; SameSite=Lax")]
            )
        }

        private mutating func issueCode(_ pending: ProviderState.Pending, _ session: ProviderState.Session)
            -> String
        {
            let code = token(24)
            let grant = ProviderState.Grant(
                clientID: pending.clientID,
                redirectURI: pending.redirectURI,
                user: session.user,
                scope: pending.scope,
                nonce: pending.nonce,
                challenge: pending.challenge,
                challengeMethod: pending.challengeMethod,
                signedInAt: session.signedInAt,
                family: token(8)
            )
            state.codes[code] = ProviderState.Code(grant: grant, issuedAt: now)
            return code
        }

        private func deliver(
            _ parameters: [(String, String)],
            _ pending: ProviderState.Pending,
            headers: [(String, String)] = []
        ) -> RecordedResponse {
            var parameters = parameters
            if let state = pending.state { parameters.append(("state", state)) }
            // RFC 9207, section 2.
            parameters.append(("iss", configuration.issuer))
            if pending.responseMode == "form_post" {
                return Reply.html(
                    200,
                    SignInPage.formPost(to: pending.redirectURI, parameters),
                    headers: headers
                )
            }
            let separator = RecordedURL(pending.redirectURI).query == nil ? "?" : "&"
            return Reply.redirect(
                to: pending.redirectURI + separator + FormBody.encode(parameters),
                headers: headers
            )
        }

        // MARK: - Token endpoint

        private mutating func token(_ form: QueryItems, _ request: RecordedRequest) -> RecordedResponse {
            let client: ProviderConfiguration.Client
            switch authenticate(form, request) {
            case .success(let authenticated): client = authenticated
            case .failure(let refusal): return refusal.response
            }
            switch form.first("grant_type") {
            case "authorization_code": return redeem(form, client)
            case "refresh_token": return refresh(form, client)
            case nil: return Reply.error(400, "invalid_request", "grant_type is missing")
            default: return Reply.error(400, "unsupported_grant_type", "this grant is not supported")
            }
        }

        private struct Refusal: Error { var response: RecordedResponse }

        private func authenticate(_ form: QueryItems, _ request: RecordedRequest) -> Result<
            ProviderConfiguration.Client, Refusal
        > {
            let parameters = Parameters(form, of: 0, in: .requestBody)
            let authentication = ClientAuthentication(of: request, exchange: 0, parameters: parameters)
            let challenge = [("WWW-Authenticate", "Basic realm=\"token\"")]
            let refuse = { (text: String) in
                Result<ProviderConfiguration.Client, Refusal>.failure(
                    Refusal(
                        response: Reply.error(
                            401,
                            "invalid_client",
                            text,
                            headers: authentication.methods.contains(.secretBasic) ? challenge : []
                        )
                    )
                )
            }
            guard let client = configuration.clients.first(where: { $0.id == authentication.clientID?.value })
            else {
                return refuse("the client is not known")
            }
            guard authentication.methods.count == 1 else {
                return refuse("two kinds of client authentication at once")
            }
            guard client.secret == authentication.secret?.value else {
                return refuse(
                    authentication.secret == nil
                        ? "client authentication is missing" : "the client secret is wrong"
                )
            }
            return .success(client)
        }

        private mutating func redeem(_ form: QueryItems, _ client: ProviderConfiguration.Client)
            -> RecordedResponse
        {
            guard let code = form.first("code"), let issued = state.codes[code],
                issued.grant.clientID == client.id
            else {
                return Reply.error(400, "invalid_grant", "the code is not known")
            }
            guard !issued.isUsed else {
                // RFC 6749, section 4.1.2: a second use ends what the first one brought.
                end(issued.grant.family)
                return Reply.error(400, "invalid_grant", "the code was used before")
            }
            state.codes[code]?.isUsed = true
            guard now - issued.issuedAt <= .seconds(configuration.codeLifetime) else {
                return Reply.error(400, "invalid_grant", "the code has expired")
            }
            guard form.first("redirect_uri") == issued.grant.redirectURI else {
                return Reply.error(
                    400,
                    "invalid_grant",
                    "redirect_uri differs from the authorization request's"
                )
            }
            if let problem = proofProblem(form.first("code_verifier"), issued.grant) {
                return Reply.error(400, "invalid_grant", problem)
            }
            return issue(issued.grant, client, isFirst: true)
        }

        /// RFC 7636, section 4.6: equal to the letter, or refused.
        private func proofProblem(_ verifier: String?, _ grant: ProviderState.Grant) -> String? {
            guard let challenge = grant.challenge, !challenge.isEmpty else {
                return verifier == nil ? nil : "a code_verifier without a code_challenge"
            }
            guard let verifier, !verifier.isEmpty else { return "code_verifier is missing" }
            let expected = grant.challengeMethod == "S256" ? CodeChallenge.s256(of: verifier) : verifier
            return expected == challenge ? nil : "the code_verifier does not match the code_challenge"
        }

        private mutating func refresh(_ form: QueryItems, _ client: ProviderConfiguration.Client)
            -> RecordedResponse
        {
            guard let value = form.first("refresh_token"), let token = state.refreshTokens[value],
                token.grant.clientID == client.id, !state.revokedFamilies.contains(token.grant.family)
            else { return Reply.error(400, "invalid_grant", "the refresh token is not valid") }
            guard !token.isUsed else {
                end(token.grant.family)
                return Reply.error(400, "invalid_grant", "the refresh token was used before")
            }
            state.refreshTokens[value]?.isUsed = true
            return issue(token.grant, client, isFirst: false)
        }

        private mutating func issue(
            _ grant: ProviderState.Grant,
            _ client: ProviderConfiguration.Client,
            isFirst: Bool
        ) -> RecordedResponse {
            let access = token(24)
            state.accessTokens[access] = ProviderState.AccessToken(
                grant: grant,
                expiresAt: now + .seconds(configuration.tokenLifetime)
            )
            var answer: JSONObject = [
                "access_token": .string(access), "token_type": "Bearer",
                "expires_in": .number(JSONNumber(configuration.tokenLifetime)), "scope": .string(grant.scope),
            ]
            let scopes = grant.scope.split(separator: " ")
            if scopes.contains("offline_access") {
                let refresh = token(24)
                state.refreshTokens[refresh] = ProviderState.RefreshToken(grant: grant)
                answer["refresh_token"] = .string(refresh)
            }
            if scopes.contains("openid") {
                guard let token = idToken(grant, client, access: access, isFirst: isFirst) else {
                    return Reply.error(
                        500,
                        "server_error",
                        "no key signs \(client.idTokenAlgorithm.rawValue)"
                    )
                }
                answer["id_token"] = .string(token)
            }
            return Reply.json(200, answer)
        }

        private func idToken(
            _ grant: ProviderState.Grant,
            _ client: ProviderConfiguration.Client,
            access: String,
            isFirst: Bool
        ) -> String? {
            guard let entry = configuration.keys.first(where: { $0.algorithm == client.idTokenAlgorithm })
            else { return nil }
            var claims: JSONObject = [
                "iss": .string(configuration.issuer), "sub": .string(grant.user.subject),
                "aud": .string(client.id),
                "exp": .number(JSONNumber(now.seconds + configuration.tokenLifetime)),
                "iat": .number(JSONNumber(now.seconds)),
                "auth_time": .number(JSONNumber(grant.signedInAt.seconds)),
                "at_hash": .string(JSONWebToken.halfHash(of: access, algorithm: entry.algorithm)),
            ]
            // A refreshed token need not repeat it (OpenID Connect Core, section 12.2).
            if isFirst, let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
            return try? JSONWebToken.sign(
                claims: claims,
                header: ["kid": .string(entry.id), "typ": "JWT"],
                algorithm: entry.algorithm,
                with: .privateKey(entry.key)
            )
        }

        // MARK: - With a token

        private func userInfo(_ request: RecordedRequest) -> RecordedResponse {
            guard let token = BearerToken.of(request, exchange: 0)?.value else {
                return Reply.error(
                    401,
                    "invalid_request",
                    "an access token is missing",
                    headers: [("WWW-Authenticate", "Bearer")]
                )
            }
            guard let access = state.accessTokens[token], access.expiresAt > now,
                !state.revokedFamilies.contains(access.grant.family)
            else {
                let header =
                    "Bearer error=\"invalid_token\", error_description=\"the access token is not valid\""
                return Reply.error(
                    401,
                    "invalid_token",
                    "the access token is not valid",
                    headers: [("WWW-Authenticate", header)]
                )
            }
            let user = access.grant.user
            let scopes = access.grant.scope.split(separator: " ")
            var claims: JSONObject = ["sub": .string(user.subject)]
            if scopes.contains("profile") { claims["name"] = .string(user.fullName) }
            if scopes.contains("email") { claims["email"] = .string(user.email) }
            return Reply.json(200, claims)
        }

        /// RFC 7009, section 2.2: an unknown token is no error.
        private mutating func revoke(_ form: QueryItems, _ request: RecordedRequest) -> RecordedResponse {
            if case .failure(let refusal) = authenticate(form, request) { return refusal.response }
            guard let token = form.first("token") else {
                return Reply.error(400, "invalid_request", "token is missing")
            }
            if let refresh = state.refreshTokens[token] { end(refresh.grant.family) }
            state.accessTokens[token] = nil
            return Reply.json(200, JSONObject())
        }

        /// OpenID Connect RP-Initiated Logout, sections 2 and 3.
        private mutating func logout(_ query: QueryItems) -> RecordedResponse {
            let hint = query.first("id_token_hint").flatMap(JSONWebToken.parse)
            let id = hint?.audience.first ?? query.first("client_id")
            let client = configuration.clients.first { $0.id == id }
            if let subject = hint?.subject {
                state.sessions = state.sessions.filter { $0.value.user.subject != subject }
            }
            guard let target = query.first("post_logout_redirect_uri") else {
                return Reply.html(200, SignInPage.signedOut())
            }
            guard let client, client.postLogoutRedirectURIs.contains(target) else {
                return Reply.html(
                    400,
                    SignInPage.error("The post_logout_redirect_uri is not registered for this client.")
                )
            }
            let state = query.first("state").map { "?" + FormBody.encode([("state", $0)]) } ?? ""
            return Reply.redirect(to: target + state)
        }

        // MARK: -

        private mutating func end(_ family: String) { state.revokedFamilies.insert(family) }

        private func token(_ bytes: Int) -> String { Base64URL.encode(random(bytes)) }
    }
}
