import Captures
import Flows
import JSON
import OAuth

/// How a recorded provider refuses: each refusal of the recording, with what was wrong as far as it shows.
struct RefusalFinder {
    private let issuer: RecordedIssuer
    private let addresses: AddressMap

    init(_ issuer: RecordedIssuer, addresses: AddressMap) {
        self.issuer = issuer
        self.addresses = addresses
    }

    func learn(_ dialect: inout ProviderDialect) {
        dialect.refusals = RefusalDialect(kind: dialect.kind)
        for flow in issuer.flows {
            var usedCodes: Set<String> = []
            var usedTokens: Set<String> = []
            for request in flow.tokenRequests {
                let refusal = refusal(of: request, in: flow, usedCodes, usedTokens)
                learn(request.answer, at: .token, refusal, flow, &dialect)
                if let code = request.code { usedCodes.insert(code) }
                if let token = request.refreshToken { usedTokens.insert(token) }
            }
            for message in flow.messages { learn(message, flow, &dialect) }
            for login in flow.wholeLogins { learn(login, flow, &dialect) }
        }
        learnOutcomes(&dialect)
        learnPorts(&dialect)
    }

    /// An answer whose `error_uri` (RFC 6749, section 5.2) and other addresses of the provider are where it is played.
    private func template(_ response: RecordedResponse) -> AnswerTemplate {
        var template = AnswerTemplate(response)
        template.members = template.members.map(addresses.rewritten)
        return template
    }

    /// Providers that take no other port of this machine than the one they know.
    private func learnPorts(_ dialect: inout ProviderDialect) {
        var known: Set<String> = []
        for flow in issuer.flows {
            for call in flow.registrations where call.answer.isSuccess {
                known.formUnion(call.answer.json?["redirect_uris"]?.array?.compactMap(\.string) ?? [])
            }
            for login in flow.wholeLogins where login.response != nil {
                if let uri = login.request.redirectURI { known.insert(uri) }
            }
        }
        let portless = { (text: String) in
            let url = RecordedURL(text)
            return "\(url.scheme ?? "")://\(url.host ?? "")\(url.path)"
        }
        for flow in issuer.flows {
            for login in flow.wholeLogins where login.response == nil {
                guard let uri = login.request.redirectURI, let host = RecordedURL(uri).host,
                    LoopbackHost.isLoopback(host), (login.request.status ?? 0) >= 400, !known.contains(uri)
                else { continue }
                if known.contains(where: { portless($0) == portless(uri) }) {
                    dialect.allowsOtherPorts = false
                }
            }
        }
    }

    // MARK: - Endpoints

    private func learn(
        _ answer: Answer,
        at role: Endpoints.Role,
        _ refusal: Refusal?,
        _ flow: Flow,
        _ dialect: inout ProviderDialect
    ) {
        guard answer.isRefusal, let response = flow.capture[answer.exchange].response else { return }
        let template = template(response)
        if let refusal { dialect.refusals.learn(template, of: refusal, at: role) }
        if let error = answer.error?.error {
            dialect.refusals.learn(template, code: error, at: role)
            if error == "use_dpop_nonce" {
                dialect.nonceRoles.insert(role)
                if let nonce = response.headers.first("dpop-nonce") {
                    dialect.shapes["dpop_nonce"] = ValueTemplate(like: nonce)
                }
            }
        }
    }

    private func learn(_ message: OAuthMessage, _ flow: Flow, _ dialect: inout ProviderDialect) {
        switch message {
        case .userInfo(let call):
            let refusal = Self.named(call.answer) ?? Self.refusal(of: call, flow.capture[call.exchange])
            learn(call.answer, at: .userInfo, refusal, flow, &dialect)
        case .pushedRequest(let call):
            learn(call.answer, at: .pushedRequest, Self.named(call.answer), flow, &dialect)
        case .introspection(let call):
            learn(call.answer, at: .introspection, Self.named(call.answer), flow, &dialect)
        case .revocation(let call):
            learn(call.answer, at: .revocation, Self.named(call.answer), flow, &dialect)
        case .deviceAuthorization(let call):
            learn(call.answer, at: .deviceAuthorization, Self.named(call.answer), flow, &dialect)
        case .backchannelAuthentication(let call):
            learn(call.answer, at: .backchannelAuthentication, Self.named(call.answer), flow, &dialect)
        case .registration(let call):
            learn(call.answer, at: .registration, Self.named(call.answer), flow, &dialect)
        default: break
        }
    }

    /// What was wrong with a token request, as far as the recording shows it; else what the code says.
    private func refusal(
        of request: TokenRequest,
        in flow: Flow,
        _ usedCodes: Set<String>,
        _ usedTokens: Set<String>
    ) -> Refusal? {
        guard request.answer.isRefusal else { return nil }
        if let named = Self.named(request.answer) { return named }
        let body = flow.capture[request.exchange].request.body
        if let bytes = body?.bytes, !bytes.isEmpty, FormBody.items(of: body) == nil { return .bodyNotForm }
        let known = request.clientID.flatMap { flow.surroundings.knownSecrets[$0] }
        if request.authentication.methods.count > 1 { return .clientAuthenticationDoubled }
        if let known, let sent = request.authentication.secret?.value, sent != known,
            request.authentication.undecodedSecret != known
        {
            return .clientSecretWrong
        }
        let provesNothing = request.authentication.methods == [.none]
        if known != nil, provesNothing { return .clientAuthenticationMissing }
        let code = request.answer.error?.error ?? ""
        if ["invalid_client", "unauthorized_client"].contains(code) {
            if provesNothing { return .clientAuthenticationMissing }
            return request.authentication.assertion == nil ? .clientSecretWrong : .clientAssertionInvalid
        }
        if request.isRefresh {
            return request.refreshToken.map(usedTokens.contains) ?? false
                ? .refreshTokenUsed : .refreshTokenInvalid
        }
        guard request.isCodeExchange else { return nil }
        if request.code.map(usedCodes.contains) ?? false { return .codeUsed }
        let login = flow.wholeLogins.last { $0.response?.code != nil && $0.response?.code == request.code }
        guard let login else { return .codeUnknown }
        if let sent = request.redirectURI, let asked = login.request.redirectURI, !sent.equalsBytes(of: asked)
        {
            return .redirectURIDiffers
        }
        switch (login.request.codeChallenge, request.codeVerifier) {
        case (.some, nil): return .verifierMissing
        case (nil, .some): return .verifierUnexpected
        case (let challenge?, let verifier?):
            let relation = CodeChallenge.relation(of: challenge, to: verifier)
            let wanted: ChallengeRelation = login.request.codeChallengeMethod == "S256" ? .s256 : .plain
            if relation != wanted { return .verifierWrong }
            if !CodeChallenge.isVerifier(verifier) { return .verifierMalformed }
        case (nil, nil): break
        }
        return .codeExpired
    }

    /// What was wrong with the token of a call (RFC 6750, section 3.1); nil where it was good, and not good enough.
    private static func refusal(of call: EndpointCall, _ exchange: Exchange) -> Refusal? {
        guard call.token != nil else { return .tokenMissing }
        let challenges = exchange.response.map { AuthenticationChallenge.all(in: $0.headers) } ?? []
        let error = call.answer.error?.error ?? challenges.lazy.compactMap { $0["error"] }.first
        switch error {
        case "insufficient_scope": return nil
        case "invalid_token": return .tokenInvalid
        default: break
        }
        // A status that speaks of the request, where the token has another of its own.
        let isOfRequest = error == "invalid_request" || call.answer.status == 400
        let isDoubled = exchange.request.accessTokens.count > 1
        return isDoubled && isOfRequest ? .tokenDoubled : .tokenInvalid
    }

    /// Refusals whose code names the reason.
    private static func named(_ answer: Answer) -> Refusal? {
        switch answer.error?.error {
        case "use_dpop_nonce": .proofNonceNeeded
        case "invalid_dpop_proof": .proofInvalid
        case "authorization_pending": .devicePending
        case "slow_down": .deviceTooFast
        case "expired_token": .deviceExpired
        case "unknown_user_id": .userUnknown
        case "unsupported_grant_type": .grantTypeUnsupported
        case "invalid_scope": .scopeTooWide
        case "invalid_redirect_uri": .redirectURIInvalid
        case "invalid_client_metadata": .metadataInvalid
        case "invalid_request_object": .requestObjectInvalid
        default: nil
        }
    }

    // MARK: - The authorization endpoint

    private func learn(_ login: Login, _ flow: Flow, _ dialect: inout ProviderDialect) {
        if let error = login.response?.error {
            let refusal: Refusal?
            switch error.error {
            case "login_required", "interaction_required": refusal = .loginRequired
            case "unsupported_response_type": refusal = .responseTypeUnsupported
            case _ where AccessPolicy.isCancellation(error): refusal = .userCancelled
            case "invalid_request" where login.request.codeChallenge == nil: refusal = .challengeMissing
            default: refusal = nil
            }
            guard let refusal else { return }
            var members: JSONObject = ["error": .string(error.error)]
            if let text = error.description { members["error_description"] = .string(text) }
            dialect.refusals.learn(
                AnswerTemplate(status: 302, members: members),
                of: refusal,
                at: .authorization
            )
            return
        }
        // A page of the provider's, where no redirect was safe.
        let page = flow.surroundings.order.lazy.filter { exchange in
            flow.exchanges.contains(exchange) && (flow.capture[exchange].response?.status ?? 0) >= 400
                && flow.surroundings.position[exchange] >= flow.surroundings.position[login.request.exchange]
                && (exchange == login.request.exchange || Self.isPage(flow.capture[exchange]))
        }.first
        guard login.response == nil, let page, let response = flow.capture[page].response else { return }
        let text = (response.body?.text ?? "").lowercased()
        let isClient = text.contains("client") && !text.contains("redirect")
        dialect.refusals.learn(
            AnswerTemplate(response),
            of: isClient ? .clientUnknown : .redirectURIUnregistered,
            at: .authorization
        )
    }

    /// Whether somebody sees an answer: what a page's script asks for in vain, and files that are missing, refuse no login.
    private static func isPage(_ exchange: Exchange) -> Bool {
        exchange.response?.body?.isPage ?? false && !Asset.isAsset(exchange)
    }

    // MARK: - Outcomes to be given again

    private func learnOutcomes(_ dialect: inout ProviderDialect) {
        for index in issuer.captures {
            for exchange in index.order {
                guard let message = index.messages[exchange],
                    let origin = AddressMap.origin(of: index.capture[exchange].request.url),
                    issuer.origins.contains(origin)
                else { continue }
                if case .authorizationRequest = message, !index.capture[exchange].wasNeverSent {
                    dialect.recordedLogins += 1
                }
                guard let (role, answer) = Self.answer(of: message),
                    let response = index.capture[exchange].response
                else { continue }
                // A nonce to be sent along is asked for again, for each run its own.
                if answer.error?.error == "use_dpop_nonce" { continue }
                dialect.recordedOutcomes[role, default: []].append(
                    Self.isRefused(message, answer, index) ? template(response) : nil
                )
            }
        }
        // Where all went well there is nothing to repeat.
        dialect.recordedOutcomes = dialect.recordedOutcomes.filter { $0.value.contains { $0 != nil } }
    }

    /// Logouts are answered with redirects, and refused by pages of any status: by what the answer itself says.
    ///
    /// So is a token request that a page answers.
    private static func isRefused(_ message: OAuthMessage, _ answer: Answer, _ index: CaptureIndex) -> Bool {
        if case .token = message, index.capture[answer.exchange].response?.body?.isPage ?? false,
            answer.parameters.items.isEmpty
        {
            return true
        }
        guard case .endSession(let call) = message else { return answer.isRefusal }
        guard case .refused(let place) = LogoutCourse(of: call, in: index).end else { return false }
        return place.exchange == call.exchange && index.capture[call.exchange].response?.location == nil
    }

    private static func answer(of message: OAuthMessage) -> (Endpoints.Role, Answer)? {
        switch message {
        case .token(let request): (.token, request.answer)
        case .userInfo(let call): (.userInfo, call.answer)
        case .pushedRequest(let call): (.pushedRequest, call.answer)
        case .introspection(let call): (.introspection, call.answer)
        case .revocation(let call): (.revocation, call.answer)
        case .deviceAuthorization(let call): (.deviceAuthorization, call.answer)
        case .backchannelAuthentication(let call): (.backchannelAuthentication, call.answer)
        case .registration(let call): (.registration, call.answer)
        case .keySet(let document): (.keys, document.answer)
        case .endSession(let call): (.endSession, call.answer)
        default: nil
        }
    }
}
