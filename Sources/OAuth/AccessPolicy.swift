import Captures

/// What providers say when it was their own rules that kept a user or client out, not the user's wish.
package enum AccessPolicy {
    /// The words of a text that name such a rule; nil where none does.
    package static func words(in text: String) -> String? {
        texts.first(where: text.lowercased().containsBytes)
    }

    /// The words by which an error names such a rule; nil where it is of another kind.
    package static func words(in error: ErrorResponse) -> String? {
        if let words = words(in: error.text) { return words }
        // Too plain to stand for themselves.
        guard error.error == "access_denied", let text = error.description?.lowercased() else { return nil }
        // What Facebook says of a user's own no.
        guard text != "permissions error" else { return nil }
        return ["permission", "not assigned", "denied by policy"].first(where: text.containsBytes)
    }

    /// The user's own no, where the text names no policy.
    package static func isCancellation(_ error: ErrorResponse) -> Bool {
        cancellations.contains(error.error) && words(in: error) == nil && !isUnmet(error)
    }

    /// Whether an error's name is that of a user's own no, or looks like one that a provider has made for it: then what was asked for is not
    /// at fault.
    package static func namesCancellation(_ name: String) -> Bool {
        if cancellations.contains(name) { return true }
        guard name.utf8.count < longestName, name.containsBytes("ancel") || name.containsBytes("ANCEL") else {
            return false
        }
        let word = name.asciiLowercased().filter { $0 != "_" && $0 != "-" }
        return ownNames.contains(where: word.hasPrefix)
    }

    /// In bytes; what is longer is a sentence.
    private static let longestName = 40

    /// How names begin that providers made for it, in lower case and without marks: TARA's `user_cancel`, UAE PASS's
    /// `cancelledOnApp`, `USER_CANCELED`.
    private static let ownNames = ["usercancel", "cancelled", "canceled"]

    /// What oidc-provider calls denied where the user signed in, but not as the request had to have it.
    private static func isUnmet(_ error: ErrorResponse) -> Bool {
        let text = error.description?.lowercased() ?? ""
        // That its consent could not be obtained is what others say of a user's own no.
        return ["requested acr", "authentication could not be obtained", "subject could not be obtained"]
            .contains(where: text.containsBytes)
    }

    private static let cancellations: Set<String> = [
        "access_denied", "user_cancelled_authorize", "user_cancelled_login", "cancelled", "consent_declined",
        // Entra, of a device.
        "authorization_declined",
        // Facebook's dialog, "User canceled the Dialog flow".
        "4201",
    ]

    /// In lower case: Entra's codes, Okta, Google, LemonLDAP::NG, Salesforce, GitHub, Facebook (three), Kakao.
    private static let texts =
        [
            "aadsts50105", "aadsts65001", "aadsts90094", "aadsts5300", "aadsts53010", "aadsts53011",
            "aadsts50072", "aadsts50074", "aadsts50076", "aadsts50079", "aadsts50097", "aadsts50131",
            "aadsts50158", "aadsts50020:", "aadsts500200", "aadsts500207", "aadsts500208", "aadsts90072",
            "aadsts50057", "aadsts50005:",
            "user is not assigned to the client application", "org_internal",
            "admin_policy_enforced", "has not completed the google verification process",
            "given you access to this app",
            "pe_unauthorizedpartner", "pe_oidc_service_not_allowed", "pe_sessionnotgranted", "pe_forbiddenip",
            "oauth_app_blocked", "user is not admin approved", "user hasn't approved this consumer",
            // What somebody configured for a pool of workloads.
            "rejected by the attribute condition",
            "application_suspended", "application has been suspended",
            // Matrix's server and others that ask a policy engine; Authelia; Slack, of an app that is for one workspace; Salesforce.
            "was denied by the policy",
            "was denied access to this client", "invalid_team_for_non_distributed_app",
            "app is not installed in this org",
            "app not active", "login is currently unavailable for this app",
            "app is still in development mode",
            "koe004",
            // The key of what Okta's sign-in answers to its page's script.
            "security.access_denied",
        ] + shutClients

    /// Of a client that somebody switched off, in lower case: Entra, WSO2 (two), Google, GOV.UK One Login, Keycloak (in two languages).
    private static let shutClients = [
        "aadsts7000112", "oauth app is not in active state", "authentication.flow.app.disabled",
        "the oauth client was disabled",
        "client deactivated", "client disabled", "client deaktiviert",
    ]

    /// Whether words of such a rule say that the client itself is switched off.
    package static func isOfClient(_ words: String) -> Bool { shutClients.contains(words) }
}

extension AccessPolicy {
    /// The words by which an endpoint's answer names such a rule.
    package static func words(in answer: Answer) -> String? { answer.error.flatMap { words(in: $0) } }
}
