import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The client authenticates by a method that the provider's metadata does not list, or its refusal names another one.
///
/// Without either nothing is said. A public client is not judged by a list without `none`: many providers take
/// public clients and do not say so.
struct ClientAuthMethodUnsupported: Rule {
    static let info = RuleInfo(
        id: "client-auth-method-unsupported",
        title: "The provider does not accept this kind of client authentication",
        severity: .errorWhenRefused,
        explanation:
            "The provider's metadata names the ways in which a client may authenticate at the token endpoint. The one that was used is not among them.",
        fix:
            "Configure the client for one of the listed methods, and register it for that method at the provider.",
        badExample: """
            token_endpoint_auth_methods_supported: ["client_secret_post"]
            POST /token  Authorization: Basic c2hvcDp…  → 401 invalid_client
            """,
        goodExample: """
            token_endpoint_auth_methods_supported: ["client_secret_post"]
            POST /token  …&client_id=shop&client_secret=…  → 200
            """,
        specifications: [
            .rfc(8414, "2"),
            .openIDConnectDiscovery("3", "ProviderMetadata"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow).filter { $0.kind == .token || $0.kind == .pushedRequest }
        let provider = flow.providerFacts
        var isUnlisted = false
        var found: Violation?
        for call in calls where !call.parameters.isEmpty {
            if let named = methodAsked(of: call, flow) ?? bodyAsked(of: call), found?.severity != .error {
                found = named
                continue
            }
            guard let metadata = provider.metadata(of: call.endpoint),
                let list = metadata.list("token_endpoint_auth_methods_supported"), !list.isEmpty
            else {
                isUnlisted = true
                continue
            }
            guard let method = method(of: call), !list.contains(method), !isFine(method, call, list, flow)
            else { continue }
            let severity: Severity =
                call.isClientRefused ? (call.isRepaired ? .note : .error) : .warning
            if let found, (found.severity ?? .error) == .error || severity != .error { continue }
            found = Violation(
                [
                    Evidence(
                        place: metadata.answer.place("token_endpoint_auth_methods_supported"),
                        value: Masking.shown(list.joined(separator: ", "), of: "list")
                    ),
                    Evidence(
                        place: place(of: method, call),
                        value: method,
                        note: "the method that was used"
                    ), call.answer.evidence(),
                ],
                severity: severity,
                exchange: call.exchange
            )
        }
        if let found { return .violated(found) }
        return isUnlisted ? .abstains("no list of methods is in the capture") : .holds
    }

    /// The answer that refuses the client and names the method it has to use, and not the one that was used.
    private func methodAsked(of call: ClientCall, _ flow: Flow) -> Violation? {
        guard call.isClientRefused, !call.isRepaired, let used = method(of: call), used != "none" else {
            return nil
        }
        // Some have errors of their own making (Fitbit).
        let text =
            call.answer.error == nil
            ? PageText.words(of: flow.capture[call.exchange].response?.body).asciiLowercased()
            : call.answer.errorText
        // One of several that are named may be what it is set to; a secret that is wrong is another matter.
        let named = Self.names.filter(text.containsBytes).filter {
            !($0 == "tls_client_auth" && text.containsBytes("self_signed_"))
        }
        if named.isEmpty, Self.refusals.contains(where: text.containsBytes) {
            return forbidden(used, by: call)
        }
        guard
            let asked = Self.registered(in: text, besides: used) ?? (named.count == 1 ? named[0] : nil)
                ?? (named.isEmpty && Self.missesHeader(text, used) ? Self.basic : nil)
        else { return nil }
        guard asked != used else { return isForbidden(used, by: call) ? forbidden(used, by: call) : nil }
        return Violation(
            flow.evidence(of: call.answer, note: "asks for \(asked)") + [
                Evidence(place: place(of: used, call), value: used, note: "the method that was used")
            ],
            severity: .error,
            explanation: Self.asked,
            fix: Self.askedFix,
            exchange: call.exchange
        )
    }

    /// The method that a client is registered for, where the answer sets it against the one that was used (Hydra, Authelia);
    /// `none` is one of them.
    private static func registered(in text: String, besides used: String) -> String? {
        // Hydra has had both kinds of quotes.
        let text = text.replacing("\"", with: "'")
        guard text.containsBytes("method '\(used)'"),
            let start = registrations.lazy.compactMap({ text.firstRange(of: $0)?.upperBound }).first
        else { return nil }
        let method = String(text[start...].prefix { $0 != "'" })
        return method != used && (names + ["none"]).contains(method) ? method : nil
    }

    private static let registrations = [
        "supports client authentication method '", "only support 'token_endpoint_auth_method' method '",
    ]

    /// Whether an answer misses the header in which a client authenticates, by its name alone (X, Fitbit).
    private static func missesHeader(_ text: String, _ used: String) -> Bool {
        used != basic && text.containsBytes("authorization header")
            && [
                "invalid", "missing", "required", "not found", "absent", "no authorization header", "must",
            ].contains(where: text.containsBytes)
    }

    private static let basic = "client_secret_basic"

    /// The answer that misses the client's id, which stood in the header alone, as those of servers do that look into the body.
    private func bodyAsked(of call: ClientCall) -> Violation? {
        guard call.kind == .token, call.answer.isRefusal, !call.isRepaired, method(of: call) == Self.basic,
            !call.parameters.contains("client_id"), let missed = Self.missedID(in: call.answer)
        else { return nil }
        return Violation(
            [
                missed,
                Evidence(
                    place: place(of: Self.basic, call),
                    value: Self.basic,
                    note: "the method that was used"
                ), call.parameters.missing("client_id", of: call.exchange),
            ],
            severity: .error,
            explanation: """
                The client said who it is in the Authorization header alone (HTTP Basic). The provider looks for client_id in the body and did not find it there.
                """,
            fix: """
                Send client_id and client_secret in the body (client_secret_post) and no header: ClientSecretPost in AppAuth for Android, clientAuthMethod "post" in react-native-app-auth; AppAuth for iOS takes them as \
                additional parameters of the token request, without a client secret of its own.
                """,
            exchange: call.exchange
        )
    }

    /// In words, or as the name of a field that is wrong (Strava).
    private static func missedID(in answer: Answer) -> Evidence? {
        let fields = answer.json?["errors"]?.array ?? []
        if fields.prefix(8).contains(where: { $0.object?["field"]?.string == "client_id" }) {
            return Evidence(
                place: Place(exchange: answer.exchange, part: .responseBody, name: "errors"),
                value: "client_id",
                note: "the field that the answer finds fault with"
            )
        }
        let text = answer.errorText
        guard missing.contains(where: text.containsBytes), text.containsBytes("client_id"),
            // Of another one the id may say for whom it is missing.
            !others.contains(where: text.containsBytes)
        else { return nil }
        return answer.evidence()
    }

    private static let missing = [
        "missing", "is required", "required parameter", "not provided", "not present",
    ]
    private static let others = [
        "client_secret", "verifier", "pkce", "redirect_uri", "redirect uri", "grant_type",
        "scope", "audience", "certificate",
    ]

    /// The answer names the method that was used, as one that this client may not use (Authelia).
    private func isForbidden(_ used: String, by call: ClientCall) -> Bool {
        let text = call.answer.errorText
        return ["not allow", "n't allow", "not permit", "not support", "not enabled"].contains(
            where: text.containsBytes
        )
    }

    private func forbidden(_ used: String, by call: ClientCall) -> Violation {
        Violation(
            [
                call.answer.evidence(),
                Evidence(place: place(of: used, call), value: used, note: "the method that was used"),
            ],
            severity: .error,
            explanation:
                "The provider refuses the client for the way in which it authenticates: this client is registered for another one.",
            fix: """
                Look up token_endpoint_auth_method in the client's registration at the provider and set the client to it (client_secret_basic and \
                client_secret_post are the two that are mixed up), or have the registration changed. The list in the metadata is that of all clients.
                """,
            exchange: call.exchange
        )
    }

    /// Without a name of a method, or a short one, in lower case: ForgeRock, PingOne, Zitadel's library, pyoidc.
    private static let refusals = [
        "invalid authentication method for accessing this endpoint",
        "request denied: unsupported authentication method", "auth_method post not supported",
        "wrong authentication method used",
    ]

    /// Those that the registry of OAuth parameters has for clients with credentials.
    private static let names = [
        "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt",
        "self_signed_tls_client_auth", "tls_client_auth",
    ]
    private static let asked = """
        The provider refuses the client and names the way in which this client has to authenticate. It used another one.
        """
    private static let askedFix = """
        Set the client to the method that the answer names, or have it registered at the provider for the one that it uses.
        """

    /// The registered name of the one method that was used; nil for several, or an assertion nobody can read.
    private func method(of call: ClientCall) -> String? {
        guard call.authentication.methods.count == 1, let method = call.authentication.methods.first else {
            return nil
        }
        guard method == .assertion else { return method.rawValue }
        guard let algorithm = call.assertion?.token.algorithm else { return nil }
        return algorithm.hasPrefix("HS") ? "client_secret_jwt" : "private_key_jwt"
    }

    /// A client without credentials: public (and let in), with a certificate, or one that forgot them, which
    /// is told elsewhere.
    private func isFine(_ method: String, _ call: ClientCall, _ list: [String], _ flow: Flow) -> Bool {
        guard method == "none" else { return false }
        let isPublic = flow.registrations(of: call.authentication.clientID?.value).contains {
            $0.answer.parameters["token_endpoint_auth_method"] == "none"
        }
        return !call.isClientRefused || !isPublic || list.contains(where: MutualTLS.methods.contains)
    }

    private func place(of method: String, _ call: ClientCall) -> Place {
        switch method {
        case "client_secret_basic":
            Place(exchange: call.exchange, part: .requestHeader, name: "Authorization")
        case "client_secret_post": Place(exchange: call.exchange, part: .requestBody, name: "client_secret")
        case "none": Place(exchange: call.exchange, part: .requestBody, name: "client_id")
        default: Place(exchange: call.exchange, part: .requestBody, name: "client_assertion")
        }
    }
}
