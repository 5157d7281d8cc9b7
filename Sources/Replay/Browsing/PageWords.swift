/// What buttons say.
enum PageWords {
    /// How much a button says that it goes on; -100 for one that says that it does not.
    ///
    /// `isConsent`: boxes were ticked that somebody agrees to.
    static func score(of button: PageSnapshot.Control, isConsent: Bool) -> Int {
        let words = Set(
            [button.text, button.value, button.name, button.id, button.label].flatMap { text in
                text.lowercased().split { !$0.isLetter }.map(String.init)
            }
        )
        if !words.isDisjoint(with: refusals) { return -100 }
        if !words.isDisjoint(with: onwards) { return isConsent ? 20 : 40 }
        if !words.isDisjoint(with: consents) { return isConsent ? 40 : 20 }
        return 0
    }

    private static let onwards: Set<String> = [
        "continue", "next", "proceed", "login", "signin", "sign", "log", "loginbut", "submit", "verify",
        "confirm",
        "yes", "ok", "weiter", "anmelden", "continuer", "suivant", "connexion", "siguiente", "continuar",
        "avanti", "accedi",
    ]
    private static let consents: Set<String> = [
        "allow", "accept", "approve", "agree", "grant", "consent", "authorize", "authorise", "zulassen",
        "akzeptieren", "autoriser", "accepter", "permitir", "aceptar", "consenti", "accetta",
    ]
    private static let refusals: Set<String> = [
        "cancel", "deny", "decline", "reject", "refuse", "abort", "logout", "signout", "out", "back", "no",
        "register", "signup", "up", "create", "forgot", "forgotten", "reset", "help", "change", "switch",
        "another",
        "manage", "show", "hide", "toggle", "language", "abbrechen", "ablehnen", "annuler", "refuser",
        "cancelar",
        "google", "facebook", "apple", "microsoft", "github", "twitter", "linkedin",
    ]
}
