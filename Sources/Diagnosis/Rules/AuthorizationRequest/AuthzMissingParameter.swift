import Captures
import Flows
import OAuth

/// The authorization request lacks a parameter that it cannot do without, and the provider refused it.
///
/// `client_id` and `response_type` are required by RFC 6749, section 4.1.1; `redirect_uri` by OpenID Connect. An
/// empty value counts as none. What was pushed or stands in a request object counts as sent, except for the
/// client's id: that has to stand outside, too (RFC 9101, section 5).
struct AuthzMissingParameter: Rule {
    static let info = RuleInfo(
        id: "authz-missing-parameter",
        title: "The authorization request lacks a required parameter",
        severity: .error,
        explanation: """
            The provider cannot tell who asks, for what, or where to send the answer, because a parameter that every such request has to \
            carry is not there or empty; so it refused the request.
            """,
        fix: """
            Send the missing parameter. Look at the configuration of the library first: an empty setting gives an empty parameter.
            """,
        badExample: """
            GET /authorize?client_id=shop&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&scope=openid
            400 Bad Request: Missing parameter: response_type
            """,
        goodExample: """
            GET /authorize?response_type=code&client_id=shop&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&scope=openid
            200 OK
            """,
        specifications: [
            .rfc(6749, "4.1.1"),
            .openIDConnectCore("3.1.2.1", "AuthRequest"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let refusal = attempt.refusal, refusal.isOfTheRequest else { return .holds }
            var missing = missing(in: attempt, flow).filter {
                attempt.parameter("amp;" + $0) != nil || !speaksOfElse(refusal, than: $0)
            }
            // It may have a default (RFC 6749, section 3.3), and Google has none.
            if missing.isEmpty, attempt["scope"] == nil, attempt.hiddenParameters == nil,
                refusal.says(["missing required parameter: scope"])
            {
                missing = ["scope"]
            }
            guard !missing.isEmpty else {
                if let hidden = attempt.hiddenParameters { return .abstains(hidden) }
                return wanted(attempt, refusal, flow).map { .violated($0) } ?? .holds
            }
            if let escaped = missing.compactMap({ attempt.parameter("amp;" + $0) }).first {
                return .violated(self.escaped(escaped, missing[0], attempt, refusal))
            }
            return .violated(
                Violation(
                    missing.map { attempt.missing($0, note: "sent: \(attempt.names().value)") }
                        + [refusal.evidence(around: missing + ["missing", "required"])],
                    variant: missing[0],
                    exchange: attempt.exchange
                )
            )
        }
    }

    /// What a provider says that it misses beside what every request has: SMART's `aud`, the `acr_values` of login.gov.
    private func wanted(_ attempt: LoginAttempt, _ refusal: RequestRefusal, _ flow: Flow) -> Violation? {
        // What Hydra says of a state is of short ones, too.
        guard refusal.error != "invalid_state" else { return nil }
        let endpoint = attempt.request?.endpoint ?? attempt.pushed?.endpoint
        // Of what else Singpass wants a rule of its own tells.
        let further = endpoint.flatMap { SingpassEndpoint($0) } == nil ? Self.further : Self.ofSingpass
        let words = refusal.text.asciiLowercased().split(separator: ". ").map(String.init)
            .filter { sentence in Self.demands.contains(where: sentence.containsBytes) }
            .reduce(into: Set<String>()) { words, sentence in
                let parts = sentence.utf8.split { !((0x61...0x7a).contains($0) || $0 == 0x5f) }
                words.formUnion(parts.map { String(decoding: $0, as: UTF8.self) })
            }
        // Who asks for an ID token there has to send it anyway, as a rule of its own tells.
        let isForIDToken = attempt.responseTypes.contains("id_token")
        guard
            let name = further.first(where: { name in
                words.contains(name) && attempt[name] == nil && !(name == "nonce" && isForIDToken)
                    && (name != "launch" || isOfLaunch(refusal, attempt))
                    // People have organizations, too.
                    && (name != "organization" || refusal.says(["parameter organization"]))
            })
        else { return nil }
        if let dropped = dropped(name, attempt, refusal, flow) { return dropped }
        return Violation(
            [
                attempt.missing(name, note: "sent: \(attempt.names().value)"),
                refusal.evidence(around: [name]),
            ],
            variant: name,
            explanation: name == "launch"
                ? Self.launch
                : name == "nonce" && attempt.responseTypes.contains("token")
                    ? Self.nonce : Self.ofFurther,
            fix: name == "launch"
                ? Self.launchFix
                : name == "nonce"
                    ? NonceMissing.info.fix
                    : "Send \(name) as the provider's documentation has it; most libraries take further parameters of the request in their settings.",
            title: "The authorization request lacks a parameter that this provider wants",
            exchange: attempt.exchange
        )
    }

    /// A hint that whoever had the login begun gave to the app, and the app did not hand on.
    private func dropped(_ name: String, _ attempt: LoginAttempt, _ refusal: RequestRefusal, _ flow: Flow)
        -> Violation?
    {
        guard name.hasSuffix("_hint"),
            let given = LoginInitiation.before(attempt, in: flow)?.parameters.parameter(name),
            !given.value.isEmpty
        else { return nil }
        return Violation(
            [
                Evidence(
                    place: given.place,
                    value: Masking.masked(given.value),
                    note: "given to the app when the login was begun"
                ),
                attempt.missing(name, note: "sent: \(attempt.names().value)"),
                refusal.evidence(around: [name]),
            ],
            variant: name,
            explanation: """
                The login was begun by another party, which gave the app \(name) to send on with its authorization request. The app did not, so the provider cannot \
                tell for whom, or for which launch, the login is, and refused the request.
                """,
            fix: """
                Have the app's login endpoint put \(name) into the authorization request as it got it (OpenID Connect Core §4; for tools of LTI 1.3 the 1EdTech \
                Security Framework §5.1.1.2 asks for login_hint and lti_message_hint), and see that the library in use reads it from a form as well as from a query.
                """,
            title: "A hint that the login was begun with did not reach the provider",
            exchange: attempt.exchange
        )
    }

    private static let ofFurther = """
        This provider wants a parameter that others do without, and refuses requests that lack it. It names the one that it misses.
        """
    private static let nonce = """
        The access token is to come through the browser, and this provider takes no such request without a nonce. A library that is told to \
        leave OpenID Connect out sends none.
        """
    private static let launch = """
        The scope launch asks for the patient and the encounter that are open in the EHR, and launch is the handle of these that the EHR hands to the app when \
        it opens it (SMART App Launch). This request has none.
        """
    private static let launchFix = """
        Send the launch parameter that the EHR opened the app's launch URL with, unchanged. An app that was not opened by an EHR has none: let it ask for \
        the scope launch/patient in place of launch.
        """

    /// Whether a refusal that speaks of launch means the parameter: a scope is called so, too.
    private func isOfLaunch(_ refusal: RequestRefusal, _ attempt: LoginAttempt) -> Bool {
        if refusal.says(["launch parameter", "parameter launch", "parameter: launch"]) { return true }
        return refusal.says(["'launch'", "\"launch\""]) && !refusal.says(["scope"])
            && (attempt["scope"] ?? "").spaceDelimited.contains("launch")
    }

    /// What some providers want; of others, a rule of its own tells.
    private static let further = [
        "aud", "acr_values", "nonce", "state", "login_hint", "lti_message_hint", "vtr", "organization",
        "launch",
    ]

    private static let ofSingpass = ["authentication_context_type"]

    /// In lower case.
    private static let demands = [
        "missing", "required", "must be", "must have", "must contain", "no acceptable",
    ]

    /// A parameter that was sent behind `&amp;`, and so under another name.
    private func escaped(
        _ sent: Parameter,
        _ missing: String,
        _ attempt: LoginAttempt,
        _ refusal: RequestRefusal
    ) -> Violation {
        Violation(
            [
                attempt.missing(missing, note: "sent: \(attempt.names().value)"), Evidence(sent),
                refusal.evidence(around: [missing, "missing", "required"]),
            ],
            variant: missing,
            explanation: """
                The URL has &amp; between its parameters, as an address has it in HTML. The provider takes amp;client_id for a name, and finds none of the parameters \
                behind the first one.
                """,
            fix: """
                Undo the HTML escapes before the URL is opened: have a library build it, or write it into the page where the browser undoes them (href), not into a \
                script, a configuration file or a message.
                """,
            title: "The parameters of the authorization request are separated by &amp;",
            exchange: attempt.exchange,
            explains: [
                "client-id-unknown", "csrf-protection-missing", "pkce-missing-public-client",
                "pkce-missing-confidential", "scope-openid-missing",
            ]
        )
    }

    private func missing(in attempt: LoginAttempt, _ flow: Flow) -> [String] {
        // Of a pushed request without its body nobody knows what it had.
        if attempt.request == nil, attempt.pushed?.parameters.isEmpty ?? false { return [] }
        var missing: [String] = []
        let hasClient =
            attempt.request == nil
            ? attempt.pushed?.authentication.clientID.map { !$0.value.isEmpty } ?? false
            : attempt.ownParameters.items.contains { $0.name == "client_id" && !$0.value.isEmpty }
                || attempt.ownParameters.parameter("request") != nil && attempt["client_id"] != nil
        if !hasClient { missing.append("client_id") }
        guard attempt.hiddenParameters == nil else { return missing }
        let isWanted =
            flow.provider != .github && !(attempt.request.map { Self.knowsOneType($0.endpoint) } ?? false)
        if attempt["response_type"] == nil, isWanted { missing.append("response_type") }
        let scopes = (attempt["scope"] ?? "").spaceDelimited
        if attempt["redirect_uri"] == nil, scopes.contains("openid") { missing.append("redirect_uri") }
        return missing
    }

    /// Who has one type of answer only, and asks for none: MyInfo, Slack, Facebook, Shopify in each shop.
    private static func knowsOneType(_ endpoint: RecordedURL) -> Bool {
        let host = endpoint.host ?? ""
        return SingpassEndpoint(endpoint) == .myinfo || host == "slack.com"
            || [".slack.com", ".facebook.com", ".myshopify.com"].contains(where: host.hasSuffix)
    }

    /// A refusal that names another fault says nothing of this parameter.
    private func speaksOfElse(_ refusal: RequestRefusal, than parameter: String) -> Bool {
        switch refusal.error {
        case "redirect_uri_mismatch", "invalid_redirect_uri", "redirect_mismatch", "invalid_callback":
            parameter != "redirect_uri"
        case "invalid_scope", "invalid_target", "invalid_request_object", "invalid_request_uri",
            "unsupported_response_mode", "server_error":
            true
        default:
            !refusal.says([parameter, parameter.replacingBytes("_", with: " ")])
                && (parameter != "redirect_uri"
                    && RefusalWording.unknownRedirectURI(in: refusal.text) != nil
                    || parameter != "client_id" && RefusalWording.unknownClient(in: refusal.text) != nil)
        }
    }
}
