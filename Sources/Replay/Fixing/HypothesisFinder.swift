import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Says what to try on a login that fails, the likeliest first: what its findings point at, then what is wrong most
/// often.
package struct HypothesisFinder {
    private let flow: Flow
    private let plan: ReplayPlan
    private let random: (Int) -> [UInt8]
    private var found: [Hypothesis] = []

    /// - Parameters:
    ///   - plan: of the flow that fails.
    ///   - rules: ids of its findings, the root cause first.
    ///   - random: so many random bytes.
    /// - Returns: each change once, in the order in which they are worth trying.
    package static func hypotheses(
        for plan: ReplayPlan,
        rules: [String],
        random: @escaping (Int) -> [UInt8]
    ) -> [Hypothesis] {
        var finder = HypothesisFinder(plan: plan, random: random)
        for rule in rules { finder.add(for: rule) }
        finder.addUsual()
        return finder.found
    }

    private init(plan: ReplayPlan, random: @escaping (Int) -> [UInt8]) {
        flow = plan.flow
        self.plan = plan
        self.random = random
    }

    private mutating func add(_ id: String, _ advice: String, _ changes: [Hypothesis.Change]) {
        guard !changes.isEmpty,
            !found.contains(where: { $0.id == id || $0.changes.elementsEqual(changes) })
        else { return }
        found.append(Hypothesis(id: id, advice: advice, changes: changes))
    }

    // MARK: - By rule

    private mutating func add(for rule: String) {
        switch rule {
        case "redirect-uri-token-mismatch": sameRedirectURI()
        case "redirect-uri-not-registered", "redirect-uri-double-encoded", "redirect-uri-has-fragment",
            "loopback-port-mismatch", "proxy-scheme-downgrade", "redirect-uri-insecure":
            otherRedirectURIs()
        case "pkce-verifier-mismatch", "pkce-verifier-malformed", "pkce-challenge-malformed",
            "pkce-verifier-missing", "pkce-required", "pkce-missing-public-client":
            rightProof()
        case "pkce-method-omitted", "pkce-method-unsupported", "pkce-plain":
            if sendsChallenge { namedMethod() }
            rightProof()
        case "code-altered": break
        case "code-reused", "refresh-token-reused", "par-request-uri-reused", "client-assertion-reused":
            onlyOnce()
        case "code-expired", "access-token-expired", "refresh-token-expired", "token-invalid-grant",
            "token-endpoint-error", "par-request-uri-expired", "device-code-expired":
            withoutPauses()
        case "token-invalid-client", "client-auth-missing", "client-auth-method-unsupported",
            "client-auth-duplicate", "registration-auth-method-mismatch", "public-client-sends-secret",
            "client-type-mismatch", "par-rejected":
            otherAuthentication()
        case "basic-credentials-encoding", "client-secret-mismatch":
            otherEncoding()
            otherAuthentication()
        case "scope-openid-missing", "id-token-missing", "nonce-missing": withOpenID()
        case "scope-malformed", "scope-rejected", "insufficient-scope": otherScopes()
        case "dpop-nonce-ignored", "dpop-proof-invalid": withProofNonce()
        case "response-type-unsupported", "unsupported-grant-type": plainCodeFlow()
        case "response-mode-differs", "issuer-param-mismatch": otherResponseMode()
        case "token-request-format": asForm()
        case "silent-login-required", "silent-login-cookies-blocked": withoutPrompt()
        case "authz-missing-parameter", "singpass-parameter-missing": withMissingParameters()
        case "resource-indicator-mismatch", "resource-indicator-missing": withoutResource()
        default: break
        }
    }

    /// What is wrong most often, whatever was found.
    private mutating func addUsual() {
        sameRedirectURI()
        if flow.tokenRequests.contains(where: { $0.answer.isRefusal && $0.isCodeExchange }), sendsChallenge {
            rightProof()
        }
        onlyOnce()
        if plan.steps.contains(where: { $0.wait != nil }) { withoutPauses() }
        if flow.tokenRequests.contains(where: {
            $0.answer.status == 401 || $0.answer.error?.error == "invalid_client"
        }) {
            otherEncoding()
            otherAuthentication()
        }
    }

    // MARK: - Redirect URIs

    private mutating func sameRedirectURI() {
        guard let asked = flow.sentAuthorizationRequests.first?.redirectURI,
            let sent = flow.tokenRequests.first(where: \.isCodeExchange), sent.redirectURI != asked
        else { return }
        add(
            "redirect-uri-as-asked",
            "Send the redirect_uri of the authorization request in the token request, to the letter: \(asked)",
            [.parameter(.tokenRequest, "redirect_uri", asked)]
        )
    }

    private mutating func otherRedirectURIs() {
        guard let asked = flow.sentAuthorizationRequests.first?.redirectURI else { return }
        for (id, uri) in RedirectURIVariants.of(asked, registered: registeredURIs) {
            add("redirect-uri-\(id)", "Use the redirect_uri \(uri) instead of \(asked)", redirectURI(uri))
        }
    }

    private func redirectURI(_ uri: String) -> [Hypothesis.Change] {
        [.authorizationRequest, .pushedAuthorizationRequest, .tokenRequest].filter(has).map {
            .parameter($0, "redirect_uri", uri)
        }
    }

    private var registeredURIs: [String] {
        flow.registrations.flatMap { $0.answer.json?["redirect_uris"]?.array?.compactMap(\.string) ?? [] }
    }

    private func has(_ kind: StepKind) -> Bool { plan.steps.contains { $0.kind == kind } }

    // MARK: - PKCE

    private var sendsChallenge: Bool { flow.sentAuthorizationRequests.contains { $0.codeChallenge != nil } }

    /// Where the client puts its request parameters.
    private var requestKinds: [StepKind] {
        has(.pushedAuthorizationRequest) ? [.pushedAuthorizationRequest] : [.authorizationRequest]
    }

    /// Whether all challenges are made as they should be (RFC 7636, section 4.2), of the verifier that was sent.
    private var isProofRight: Bool {
        sendsChallenge && plan.challenges.allSatisfy { $0.verifier != nil && $0.making.relation == .s256 }
            && flow.sentAuthorizationRequests.allSatisfy { $0.codeChallengeMethod == "S256" }
    }

    private mutating func rightProof() {
        guard !isProofRight else { return }
        let verifier = Base64URL.encode(random(32))
        var changes = requestKinds.flatMap { kind -> [Hypothesis.Change] in
            [
                .parameter(kind, "code_challenge", CodeChallenge.s256(of: verifier)),
                .parameter(kind, "code_challenge_method", "S256"),
            ]
        }
        if has(.tokenRequest) { changes.append(.parameter(.tokenRequest, "code_verifier", verifier)) }
        add(
            sendsChallenge ? "pkce-s256" : "pkce-added",
            sendsChallenge
                ? "Make the code_challenge of the code_verifier that is sent: BASE64URL(SHA256(verifier)) without padding, method S256"
                : "Send a code_challenge with method S256, and its code_verifier in the token request",
            changes
        )
    }

    private mutating func namedMethod() {
        add(
            "pkce-method-named",
            "Send code_challenge_method=S256 beside the code_challenge",
            requestKinds.map { .parameter($0, "code_challenge_method", "S256") }
        )
    }

    // MARK: - Once, and in time

    private mutating func onlyOnce() {
        var seen: Set<String> = []
        for request in flow.tokenRequests {
            guard let value = request.isRefresh ? request.refreshToken : request.code,
                !seen.insert(value).inserted
            else { continue }
            let what = request.isRefresh ? "the refresh token" : "the code"
            add(
                "once-\(request.exchange)",
                "Use \(what) once: its second use, exchange \(request.exchange), is what is refused"
                    + (request.isRefresh ? "; each answer brings a new one" : ""),
                [.leavingOut(exchange: request.exchange)]
            )
        }
    }

    private mutating func withoutPauses() {
        guard plan.steps.contains(where: { $0.wait != nil }) else { return }
        add(
            "in-time",
            "Use code and tokens before they run out: the recorded client waited too long",
            [.withoutPauses]
        )
    }

    // MARK: - Client authentication

    private mutating func otherAuthentication() {
        let calls = flow.tokenRequests.filter { $0.answer.isRefusal }
        guard let call = calls.first ?? flow.tokenRequests.first else { return }
        let used = call.authentication.methods
        let hasSecret = call.authentication.secret != nil || used.contains(.secretBasic)
        if hasSecret, used != [.secretBasic] {
            add(
                "client-secret-basic",
                "Authenticate the client by HTTP Basic (client_secret_basic)",
                [.authentication(.secretBasic)]
            )
        }
        if hasSecret, used != [.secretPost] {
            add(
                "client-secret-post",
                "Send client_id and client_secret in the form (client_secret_post)",
                [.authentication(.secretPost)]
            )
        }
        if used != [.none] {
            add(
                "client-without-secret",
                "Send the client_id alone: the client is a public one",
                [.authentication(.none)]
            )
        }
    }

    private mutating func otherEncoding() {
        guard
            let call = flow.tokenRequests.first(where: { $0.authentication.methods.contains(.secretBasic) }),
            let secret = call.authentication.secret,
            PercentEncoding.encode(secret.value) != secret.value || secret.rawValue != secret.value
        else { return }
        let isEncoded = secret.rawValue != secret.value
        add(
            isEncoded ? "basic-unencoded" : "basic-encoded",
            isEncoded
                ? "Send id and secret in Basic as they are: this server does not form-decode them"
                : "Form-encode id and secret before they go into Basic (RFC 6749, section 2.3.1)",
            [.encodesCredentials(!isEncoded)]
        )
    }

    private mutating func withProofNonce() {
        add(
            "dpop-nonce",
            "Answer use_dpop_nonce with the same request and a new proof that carries the nonce of the DPoP-Nonce header",
            [.usingProofNonce]
        )
    }

    // MARK: - The authorization request

    /// Nothing where the request is like that already, or there is none.
    private func parameter(_ name: String, _ value: String) -> [Hypothesis.Change] {
        guard let request = flow.sentAuthorizationRequests.first, request.parameters[name] ?? "" != value
        else {
            return []
        }
        return requestKinds.map { .parameter($0, name, value) }
    }

    private var scope: [String] {
        (flow.sentAuthorizationRequests.first?.parameters["scope"] ?? "").split(whereSeparator: {
            $0 == " " || $0 == ","
        })
        .map(String.init)
    }

    private mutating func withOpenID() {
        guard !scope.contains("openid") else { return }
        let value = (["openid"] + scope).joined(separator: " ")
        add("scope-openid", "Ask for the scope openid: scope=\(value)", parameter("scope", value))
    }

    private mutating func otherScopes() {
        let asked = flow.sentAuthorizationRequests.first?.parameters["scope"] ?? ""
        let spaced = scope.joined(separator: " ")
        if spaced != asked {
            add(
                "scope-spaces",
                "Separate scopes by single spaces: scope=\(spaced)",
                parameter("scope", spaced)
            )
        }
        let supported = Set(
            flow.surroundings.metadata.flatMap {
                $0.answer.json?["scopes_supported"]?.array?.compactMap(\.string) ?? []
            }
        )
        let known = scope.filter(supported.contains)
        if !supported.isEmpty, known.count < scope.count, !known.isEmpty {
            let value = known.joined(separator: " ")
            add("scope-supported", "Ask for supported scopes only: scope=\(value)", parameter("scope", value))
        }
        for name in scope where name != "openid" && scope.count > 1 {
            let value = scope.filter { $0 != name }.joined(separator: " ")
            add(
                "scope-without-\(name)",
                "Do not ask for the scope \(name): scope=\(value)",
                parameter("scope", value)
            )
        }
    }

    private mutating func plainCodeFlow() {
        add("response-type-code", "Ask for response_type=code", parameter("response_type", "code"))
    }

    private mutating func otherResponseMode() {
        let type = flow.sentAuthorizationRequests.first?.responseType ?? "code"
        let mode = flow.sentAuthorizationRequests.first?.parameters["response_mode"]
        for other in type == "code" ? ["query", "fragment"] : ["fragment", "form_post"] where other != mode {
            add("response-mode-\(other)", "Ask for response_mode=\(other)", parameter("response_mode", other))
        }
    }

    private mutating func withoutPrompt() {
        add("without-prompt", "Ask without prompt=none: the user has to sign in", parameter("prompt", ""))
    }

    private mutating func withMissingParameters() {
        guard let request = flow.sentAuthorizationRequests.first else { return }
        for name in ["state", "nonce"] where !request.parameters.contains(name) {
            add("\(name)-added", "Send a \(name)", parameter(name, Base64URL.encode(random(16))))
        }
    }

    private mutating func withoutResource() {
        add("without-resource", "Ask without resource", parameter("resource", ""))
    }

    private mutating func asForm() {
        add(
            "as-form",
            "Send the token request as a form (application/x-www-form-urlencoded) by POST",
            [.asForm]
        )
    }
}
