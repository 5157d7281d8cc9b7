import Captures

/// The field of a form that says who signs in, by the password beside it: WordPress's `log`, `sap-user`.
enum FormAccounts {
    /// What such an account is called: the name of its field says little.
    static let name = "username"
    /// The list of parameters that such a field is an element of.
    static let list = "(account field)"

    /// The fields, in order, that hold one.
    ///
    /// `fields`: each by its name, with what it holds.
    static func places(in fields: [(name: String, value: ArraySlice<UInt8>)]) -> Set<Int> {
        guard fields.count > 1, fields.count <= mostFields, fields.contains(where: { isPassword($0.name) })
        else { return [] }
        return Set(fields.indices.filter { isAccount(fields[$0].name) && isText(fields[$0].value) })
    }

    /// Whether what an address has under `login` is what somebody's account is called, and not how a sign-in went or with whom:
    /// a word with a digit or a mark in it, `login=ada.q7`.
    static func isTold(underLogin value: ArraySlice<UInt8>) -> Bool {
        value.count >= leastTold && PairSlots.isAccount(value) && !value.contains(0x40)
            && value.first.map(\.isASCIILetter) ?? false && value.contains { !$0.isASCIILetter && $0 != 0x2d }
            && !PersonSegments.isOfPages(value)
    }

    /// In bytes.
    private static let leastTold = 5

    private static func isPassword(_ name: String) -> Bool {
        if case .secret(.password) = SecretRoles.role(of: name, in: .form) { true } else { false }
    }

    /// More of them are no form that somebody signs in with.
    private static let mostFields = 64

    private static func isAccount(_ name: String) -> Bool {
        // What is taken out under its own name is asked for by that name when the login is driven again.
        if case .secret = SecretRoles.role(of: name, in: .form) { return false }
        let key = SecretRoles.normalized(name)
        return names.contains(key) || key.hasSuffix("user")
    }

    private static let names: Set<String> = [
        "log", "id", "u", "usr", "uname", "un", "nick", "mbid", "memberid", "userid",
        // German, French, Spanish and Portuguese, Italian, Dutch.
        "benutzer", "nutzer", "nutzername", "benutzerkennung", "kennung", "anmeldename", "utilisateur",
        "identifiant", "usuario", "usuário", "nomeusuario", "utente", "nomeutente", "gebruiker",
        "gebruikersnaam",
        // Danish and Norwegian, Swedish, Finnish, Polish, Czech, Hungarian, Turkish, Russian.
        "bruger", "brugernavn", "bruker", "brukernavn", "användare", "användarnamn", "anvandare",
        "anvandarnamn", "käyttäjä", "käyttäjätunnus", "kayttaja", "kayttajatunnus", "użytkownik",
        "uzytkownik", "uživatel", "uzivatel", "felhasználó", "felhasznalo", "kullanıcı", "kullanici",
        "kullaniciadi", "логин", "пользователь",
    ]

    /// A number of few digits, what a box says that is ticked and what was drawn is no account.
    private static func isText(_ value: ArraySlice<UInt8>) -> Bool {
        value.count >= 3 && !["true", "false", "yes"].contains(SlotReader.string(value).lowercased())
            && (value.count >= 6 || value.contains { !$0.isASCIIDigit }) && !Drawn.looks(value)
    }
}
