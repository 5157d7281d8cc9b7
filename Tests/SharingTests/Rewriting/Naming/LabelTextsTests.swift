import Testing

@testable import Sharing

/// Texts of a page, in whatever way they stand beside the names of what they are for.
struct LabelTextsTests {
    @Test(arguments: [
        (#"[["password","Passwort"],["username","Benutzername"],["last_name","Nom de famille"]]"#, []),
        (#"[["password","Passwort"]]"#, []),
        (#"[["login.password","Kennwort vergessen?"],["login.email","E-Mail-Adresse"]]"#, []),
        // What attributes are called elsewhere.
        (#"{"given_name":"givenName","username":"sAMAccountName","theme":"darkMode"}"#, ["theme=darkMode"]),
        (
            #"{"given_name":"AdaMaria","username":"ada_quill"}"#,
            ["given_name=AdaMaria", "username=ada_quill"]
        ),
        (#"{"given_name":"givenName"}"#, ["given_name=givenName"]),
        (
            #"{"given_name":"givenName","username":"userName","password":"Correct horse, of mine!"}"#,
            ["password=Correct horse, of mine!"]
        ),
        // Values all the same.
        (#"[["password","zem4K!"],["last_name","Quill"]]"#, ["password=zem4K!", "last_name=Quill"]),
        (#"[["password","Passwort"],["last_name","Quill"]]"#, ["last_name=Quill"]),
        (
            #"[["email","E-Mail"],["username","Benutzername"],["password","zem4K!"]]"#,
            ["password=zem4K!"]
        ),
        // Names of columns are no labels.
        (
            #"[["username","email"],["given_name","family_name"]],[["password","zem4K!"],["last_name","Quill"]]"#,
            ["password=zem4K!", "last_name=Quill"]
        ),
    ])
    func pairsOfLabelsAreNoValues(text: String, told: [String]) {
        #expect(ScriptSlots.told(text) == told)
    }
}
