import Captures
import Flows
import JSON
import OAuth

/// The way in which a client authenticated, where the provider says that it is not the one that this client has to use.
///
/// It is no finding: which ways there are stands in the provider's metadata, and ``ClientAuthMethodUnsupported`` compares with that.
enum StatedAuthenticationMethod {
    /// What the refusal of a call says of it; nil where it says nothing.
    static func refusal(of call: ClientCall, in flow: Flow) -> StatedClientRefusal? {
        methodAsked(of: call, flow) ?? bodyAsked(of: call)
    }

    /// The answer that refuses the client and names the method it has to use, and not the one that was used.
    private static func methodAsked(of call: ClientCall, _ flow: Flow) -> StatedClientRefusal? {
        guard call.isClientRefused, let used = call.method, used != "none" else { return nil }
        // Some have errors of their own making (Fitbit).
        let text =
            call.answer.error == nil
            ? PageText.words(of: flow.capture[call.exchange].response?.body).asciiLowercased()
            : call.answer.errorText
        // One of several that are named may be what it is set to; a secret that is wrong is another matter.
        let named = names.filter(text.containsBytes).filter {
            !($0 == "tls_client_auth" && text.containsBytes("self_signed_"))
        }
        if named.isEmpty, refusals.contains(where: text.containsBytes) { return forbidden(used, by: call) }
        guard
            let asked = registered(in: text, besides: used) ?? (named.count == 1 ? named[0] : nil)
                ?? (named.isEmpty && missesHeader(text, used) ? basic : nil)
        else { return nil }
        guard asked != used else { return isForbidden(by: call) ? forbidden(used, by: call) : nil }
        return StatedClientRefusal(
            words: Violation.Words(title: askedTitle, explanation: askedWords, fix: askedFix),
            evidence: [
                call.evidence(
                    ofMethod: used,
                    note: "the method that was used; the provider asks for \(asked)"
                )
            ]
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

    /// Whether an answer misses the header in which a client authenticates, by its name alone (X, Fitbit).
    private static func missesHeader(_ text: String, _ used: String) -> Bool {
        used != basic && text.containsBytes("authorization header")
            && [
                "invalid", "missing", "required", "not found", "absent", "no authorization header", "must",
            ].contains(where: text.containsBytes)
    }

    /// The answer names the method that was used, as one that this client may not use (Authelia).
    private static func isForbidden(by call: ClientCall) -> Bool {
        let text = call.answer.errorText
        return ["not allow", "n't allow", "not permit", "not support", "not enabled"].contains(
            where: text.containsBytes
        )
    }

    private static func forbidden(_ used: String, by call: ClientCall) -> StatedClientRefusal {
        StatedClientRefusal(
            words: Violation.Words(
                title: "The provider refuses the way in which the client authenticates",
                explanation:
                    "The provider refuses the client for the way in which it authenticates: this client is registered for another one.",
                fix: """
                    Look up token_endpoint_auth_method in the client's registration at the provider and set the client to it (client_secret_basic and \
                    client_secret_post are the two that are mixed up), or have the registration changed. The list in the metadata is that of all clients.
                    """
            ),
            evidence: [call.evidence(ofMethod: used, note: "the method that was used")]
        )
    }

    // MARK: - The body

    /// The answer that misses the client's id, which stood in the header alone, as those of servers do that look into the body.
    private static func bodyAsked(of call: ClientCall) -> StatedClientRefusal? {
        guard call.kind == .token, call.method == basic, !call.parameters.contains("client_id"),
            missesID(call.answer)
        else { return nil }
        return StatedClientRefusal(
            words: Violation.Words(
                title: "The provider looks for the client's id in the body",
                explanation: """
                    The client said who it is in the Authorization header alone (HTTP Basic). The provider looks for client_id in the body and did not find it there.
                    """,
                fix: """
                    Send client_id and client_secret in the body (client_secret_post) and no header: ClientSecretPost in AppAuth for Android, clientAuthMethod "post" in react-native-app-auth; AppAuth for iOS takes them as \
                    additional parameters of the token request, without a client secret of its own.
                    """
            ),
            evidence: [
                call.evidence(ofMethod: basic, note: "the method that was used"),
                call.parameters.missing("client_id", of: call.exchange),
            ]
        )
    }

    /// In words, or as the name of a field that is wrong (Strava).
    private static func missesID(_ answer: Answer) -> Bool {
        let fields = answer.json?["errors"]?.array ?? []
        if fields.prefix(8).contains(where: { $0.object?["field"]?.string == "client_id" }) { return true }
        let text = answer.errorText
        // Of another one the id may say for whom it is missing.
        return missing.contains(where: text.containsBytes) && text.containsBytes("client_id")
            && !others.contains(where: text.containsBytes)
    }

    // MARK: - Words

    private static let basic = "client_secret_basic"

    /// Those that the registry of OAuth parameters has for clients with credentials.
    private static let names = [
        basic, "client_secret_post", "client_secret_jwt", "private_key_jwt", "self_signed_tls_client_auth",
        "tls_client_auth",
    ]

    /// In lower case, as all that follow.
    private static let registrations = [
        "supports client authentication method '", "only support 'token_endpoint_auth_method' method '",
    ]
    /// Without a name of a method, or a short one: ForgeRock, PingOne, Zitadel's library, pyoidc.
    private static let refusals = [
        "invalid authentication method for accessing this endpoint",
        "request denied: unsupported authentication method", "auth_method post not supported",
        "wrong authentication method used",
    ]
    private static let missing = [
        "missing", "is required", "required parameter", "not provided", "not present",
    ]
    private static let others = [
        "client_secret", "verifier", "pkce", "redirect_uri", "redirect uri", "grant_type", "scope",
        "audience", "certificate",
    ]

    private static let askedTitle = "The provider wants the client to authenticate in another way"
    private static let askedWords = """
        The provider refuses the client and names the way in which this client has to authenticate. It used another one.
        """
    private static let askedFix = """
        Set the client to the method that the answer names, or have it registered at the provider for the one that it uses.
        """
}
