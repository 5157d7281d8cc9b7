import Testing

@testable import Sharing

/// What filters compare and addresses have for keys, in OData.
struct FilterSlotsTests {
    private static func told(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return FilterSlots.slots(in: bytes[...]).map {
            "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
    }

    @Test(arguments: [
        ("startswith(displayName,'Quill')", ["displayName=Quill"]),
        ("x eq 1 and contains(tolower(surname), 'quill')", ["surname=quill"]),
        ("endswith(owner/userPrincipalName,'quill')", ["userPrincipalName=quill"]),
        ("users(userPrincipalName='quill')", ["userPrincipalName=quill"]),
        ("startswith(surname,'O''Quill')", ["surname=O''Quill"]), ("startswith(surname,'O''Quill", []),
        ("displayName:Ada Quill", ["displayName=Ada Quill"]), ("givenName:Ada", ["givenName=Ada"]),
        ("(&(objectClass=person)(username=quill))", ["username=quill"]),
        ("(|(mail=quill@*)(sAMAccountName=*quill*))", ["mail=quill@", "sAMAccountName=quill"]),
        // Scopes, rules, addresses, and all of them.
        ("email:read", []), ("userName:preferred_username", []), ("displayName:", []), ("displayName", []),
        ("displayName:desc", []), ("givenName:essential", []), ("familyName:varchar", []),
        ("(uid=${user})", []), ("(uid=%s)", []), ("(sAMAccountName={0})", []),
        ("(sAMAccountName={user})", []),
        ("(&(objectClass=person)(mail=*))", []), ("(username=quill", []), ("()", []), ("(=)", []),
        // Of other things, with other functions, and cut off.
        ("startswith(theme,'dark')", []), ("groups(id='dark')", []), ("translate(surname,'Last name')", []),
        ("startswith(surname,'qu", []), ("surname,'quill')", []), ("('quill')", []), ("','')", []),
        ("='x')", []),
    ])
    func valueIsCalledByWhatItIsComparedWith(text: String, told: [String]) {
        #expect(Self.told(text) == told)
    }
}
