import Captures

/// Parameters that are sent more than once (RFC 6749, sections 3.1 and 3.2).
extension RecordedRequest {
    /// Those that the engine goes by; `resource` (RFC 8707, section 2) and what is unknown may be repeated.
    private static let singleParameters: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "prompt", "max_age", "acr_values", "dpop_jkt", "request",
        "request_uri", "grant_type", "code", "code_verifier", "refresh_token", "device_code", "username",
        "password", "client_secret", "client_assertion", "client_assertion_type",
    ]

    /// The names that stand more than once in the query, or in the form; what has no value is none.
    var repeatedParameters: Set<String> {
        var repeated: Set<String> = []
        for items in [url.queryItems, FormBody.items(of: body) ?? QueryItems()] {
            var seen: Set<String> = []
            for item in items.items where !item.value.isEmpty && Self.singleParameters.contains(item.name) {
                if !seen.insert(item.name).inserted { repeated.insert(item.name) }
            }
        }
        return repeated
    }
}
