import Captures
import Flows
import OAuth

/// What a provider says, in its own words, that is wrong with a client assertion, or that it misses one.
///
/// Providers answer all of it with `invalid_client` (RFC 7523, section 3.2).
enum AssertionRefusal {
    case missing
    /// Who the assertion is about, or who made it.
    case subject
    case audience
    case time
    case signature
    /// The provider could not get the keys that the client publishes.
    case keysOutOfReach

    /// Nil where the client was not refused, or in other words.
    static func of(_ call: ClientCall) -> AssertionRefusal? {
        guard call.mayBlameClient else { return nil }
        let text = call.answer.errorText
        func says(_ words: [String]) -> Bool { words.contains(where: text.containsBytes) }
        guard call.assertion != nil else {
            // Whoever may send a secret as well need not send one of these.
            guard says(["client_assertion", "client assertion"]), !says(["client_secret", "client secret"]),
                says(["must contain", "required", "missing", "not present", "is expected", "not provided"])
            else { return nil }
            return .missing
        }
        // A request object, a session or a parameter expires as well, and has an audience.
        let isOfClient = call.isClientRefused || says(["assertion", "jwt", "client auth"])
        let mayBeOfClient =
            !says(["parameter", "supported", "request object", "resource", "acr_", "scope"])
            && !others.contains(where: call.parameters.contains)
        guard isOfClient || mayBeOfClient && says(audiences) else { return nil }
        if says(subjects) { return .subject }
        if says(audiences) { return .audience }
        if isOfKeysOutOfReach(text) { return .keysOutOfReach }
        // MyInfo's one sentence for all that may be wrong with a token.
        if says(times), !says(["expired or is not valid", "expired or not valid"]) { return .time }
        return says(keys) ? .signature : nil
    }

    /// Whether a text, in lower case, says that the provider did not get at the client's key set.
    ///
    /// A set that it has read, and in which no key fits, is none.
    static func isOfKeysOutOfReach(_ text: String) -> Bool {
        func says(_ words: [String]) -> Bool { words.contains(where: text.containsBytes) }
        return says(keySets) && says(failures) && !says(readings)
    }

    private static let keySets = ["jwks", "jwk set", "json web key set"]
    private static let failures = [
        "retriev", "fetch", "to load", "not load", "loading", "reach", "resolve", "refresh", "timed out",
        "timeout", "unavailable", "not get", "to get", "not read", "to read",
    ]

    /// What is said of a set that was read: which key was looked for in it, and how.
    private static let readings = [
        "match", "signature", "algorithm", "kid", "key id", "no key", "find a key", "find key",
        "find the key", "key not found", "key was not found", "suitable", "does not contain",
    ]

    /// Singpass, login.gov and oidc-provider speak of the keys that none of which fits.
    private static let keys = [
        "signature", "known signing keys", "registered public keys", "matching key", "no suitable key",
    ]

    /// Entra's, of an assertion of another issuer; it names what else there is to look at in the next sentence.
    private static let subjects = [
        "presented assertion subject", "presented assertion issuer", "record found for presented assertion.",
    ]

    private static let audiences = ["audience", " aud ", "'aud'", "\"aud\"", "`aud`"]

    /// Parameters that have an audience, or are one, themselves: a grant may be a token, too (RFC 7523, RFC 8693).
    private static let others = [
        "audience", "request", "resource", "assertion", "subject_token", "actor_token",
    ]

    private static let times = [
        "expired", "time range", "not active", "not yet valid", "in the future", "too old", "lifetime",
        "clock skew", " exp ", "'exp'", "\"exp\"", "`exp`", "'iat'", "\"iat\"", "`iat`", "'nbf'", "`nbf`",
    ]

    // MARK: - Words

    /// Of keys that the provider could not get.
    static let unread = Violation.Words(
        title: "The provider could not get the client's keys",
        explanation: """
            The provider verifies the client by a key of the set that the client publishes, and it did not get that set: the address (jwks_uri) did not answer it in time, answered with something else, or is \
            not one that it may reach. The assertion itself was not judged.
            """,
        fix: """
            Ask for the registered jwks_uri from outside of your own network: it has to be public https with a certificate that is trusted everywhere, without a login, a block by country or agent or a redirect \
            before it, and has to answer within a few seconds with {"keys":[…]}. Register the set itself where the provider takes that.
            """
    )
}
