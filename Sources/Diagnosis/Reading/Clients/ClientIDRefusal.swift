import Captures

/// How providers say that they do not know a client by its id.
enum ClientIDRefusal {
    /// Twitch says no more, in JSON or behind a number.
    static func isAllThatIsSaid(of text: String) -> Bool {
        let words = text.asciiLowercased().split { !($0.isLetter || $0 == "_") }
        return words.filter { !["status", "error", "message"].contains($0) } == ["invalid", "client"]
    }

    /// The League's server (Laravel Passport) has the same words, and no others, for a client that it does not know and for a redirect
    /// URI that it does not have for one it knows.
    static func isOfLeague(_ text: String) -> Bool {
        let words = text.asciiLowercased()
        guard let said = words.firstRange(of: "client authentication failed") else { return false }
        // Those who name the reason go on.
        let rest = words[said.upperBound...].drop { $0 == " " }
        return !rest.hasPrefix("due to") && !rest.hasPrefix("(") && !words.containsBytes("unknown client")
    }

    // MARK: - Words, in lower case

    /// Entra's number for an app of one tenant that asks at the address for all of them.
    static let ofOneTenant = "aadsts50194"

    static let ofConsumers = "does not exist or is not enabled for consumers"

    static let ofCAS = "not authorized to use cas"

    /// How providers word it, in lower case; among them LinkedIn, Kakao, Discord, ZITADEL, Zoom, TikTok
    /// and Login.gov.
    static let texts =
        [
            "client not found", ofCAS, "aadsts700016", "aadsts700038", ofOneTenant,
            ofConsumers,
            "oauth client was not found", "cannot find an application associated with the given",
            "valid oauth client could not be found for client_id", "invalid value for 'client_id' parameter",
            ErrorPage.unknownClient, "unknown client", "invalid client_id", "bad client_id",
            "'client_id' is invalid",
            "client application cannot be found",
            "oauth 2.0 parameter: client_id", "client identifier invalid", "oauth 2.0 client does not exist",
            "pe_unknownpartner", "oauth client was deleted", "invalid app id", "application_cannot_be_found",
            "client_id is invalid", "not exist client_id", "unknown application", "errors.app.notfound",
            // OpenID Federation, of an app that no trust anchor leads to.
            "invalid_trust_chain", "missing_trust_anchor", "trust chain not found", "no valid trust chain",
            "application not found", "koe101", "unable to find application for clientid",
            // Apple's page: the name and the sentence under it.
            "invalid_client invalid client", "correct the following and try again: client_key",
        ] + translations

    /// What Keycloak says in other languages, in lower case: German, French (two), Spanish, Italian, Dutch, Portuguese,
    /// Polish, Swedish, Japanese, Chinese.
    private static let translations = [
        "client nicht gefunden", "client inconnu", "client introuvable", "cliente no encontrado",
        "client non trovato", "client niet gevonden", "cliente não encontrado", "klient nie znaleziony",
        "klienten hittades ej", "クライアントが見つかりません", "客户端未找到",
    ]

    /// At the token endpoint, where other faults of the client are told in words that are much alike: Entra, Salesforce, Slack,
    /// Google, WeChat.
    static let textsForClients = [
        "aadsts700016", "aadsts700038", "client identifier invalid", "invalid_client_id", "deleted_client",
        "invalid appid",
    ]
}
