import Captures

/// How providers say that they do not allow a response type or mode, or not for this client.
enum ResponseTypeRefusal {
    /// Whether an error, of whatever name, says that a flow is switched off (LemonLDAP::NG: `server_error`).
    static func isOfTheFlow(_ text: String) -> Bool {
        text.asciiLowercased().containsBytes("flow not allowed")
    }

    /// By the name of the error, or in words that no other refusal has.
    static func isNamed(by refusal: RequestRefusal) -> Bool {
        if ["unsupported_response_type", "unsupported_response_mode"].contains(refusal.error) { return true }
        let isOfAKind = refusal.says(kinds)
        if refusal.error == "unauthorized_client", isOfAKind { return true }
        return refusal.channel == .page
            && (refusal.says(texts) || refusal.says(["unauthorized_client"]) && isOfAKind)
    }

    /// All that the words of a refusal are looked for by, in lower case.
    static let words = texts + kinds

    /// What `unauthorized_client` has to talk of, in lower case.
    private static let kinds = [
        "response_type", "response type", "response_mode", "grant", "code flow", "implicit flow",
        "hybrid flow",
        // The specification's own word for them (RFC 6749, section 4.1.2.1).
        "using this method",
    ]

    /// How providers word it on pages of their own, in lower case.
    private static let texts = [
        "aadsts700054", "aadsts70005:", "response type is not supported", "unknown response_type",
        "with given response_type", "unsupported_response_type", "unsupported_response_mode",
        "response_mode must be form_post", "does not support this response type",
        "does not support this response mode",
    ]
}
