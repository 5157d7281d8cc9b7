import Testing

@testable import Sharing

/// What apps, servers and files of settings print of somebody in lines.
struct PrintedPeopleTests {
    @Test(arguments: [
        ("{\n    password = kestrel;\n    age = 7;\n}", ["password=kestrel", "age=7"]),
        (
            "sent: {\n    user =     {\n        \"given-name\" = \"Ada Zora\";\n    };\n    roles =     (\n        a,\n"
                + "        \"b c\"\n    );\n    note = \"\";\n}\nok",
            ["given-name=Ada Zora"]
        ),
        ("(\n    {\n        login = bolund;\n    }\n)", ["login=bolund"]),
        // Functions, style sheets, objects of scripts, and what is cut.
        ("function f() {\n    password = value;\n}", []), ("else {\n    password = value;\n}", []),
        ("x = {\n    password: value;\n}", []), ("a {\n    color = red;\n}", []),
        ("x = {\n    password = f();\n}", []), ("x = {\n    password = kestrel;\n", []),
        ("x = {\n    a,\n    b;\n}", []), ("x = {\n}", []), ("{\n;", []), ("", []),
    ])
    func membersOfDictionaries(text: String, told: [String]) {
        #expect(Slot.told(DescribedObjects.slots(in: Array(text.utf8)[...]), text) == told)
    }

    @Test(arguments: [
        ("User{name='Ada Zora', age=7}", ["display_name=Ada Zora"]),
        ("&{User:{ID:1 Name:Bolund Age:7}}", ["display_name=Bolund"]),
        ("AppUser(id=1, tags=[a, b], name=Bolund)", ["display_name=Bolund"]),
        ("#<User id: 1, name: \"Ada Zora\">", ["display_name=Ada Zora"]),
        ("#<Client id: 1, name: \"Harbour Shop\">", []),
        // Things, and nothing around it.
        ("Client{name='Harbour Shop', age=7}", []), ("UserPool(name=Bolund)", []),
        ("SpringProfile(name=Bolund)", []), ("name='Ada Zora'", []),
        ("User{a={name='Ada Zora'}}", []),
    ])
    func namesInObjectsWhoseTypeSaysWhose(text: String, told: [String]) {
        #expect(Slot.told(PrintedSlots.slots(in: Array(text.utf8)[...]), text) == told)
    }

    @Test(arguments: [
        (
            "1 error for Login\nuser.password\n  too short [type=x, input_value='kestrel', input_type=str]\n",
            ["password=kestrel"]
        ),
        ("email\n  no [type=x, input_value=\"a@b\", input_type=str]", ["email=a@b"]),
        ("2 errors\na\n  no [input_value='x y']\nb\n  no [input_value='z']", ["a=x y", "b=z"]),
        ("too short [type=x, input_value='kestrel']", []), ("a b\n  no [input_value='kestrel']", []),
        ("password\n  no [input_value={'a': 1}]", []), ("password\n  no [input_value='", []),
        ("password\n  no [input_value='']", []), ("input_value=", []),
    ])
    func valuesThatAModelRefuses(text: String, told: [String]) {
        #expect(Slot.told(ValidationReports.slots(in: Array(text.utf8)[...]), text) == told)
    }

    @Test(arguments: [
        ("http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname: Ada", "givenname=Ada"),
        ("  http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name: Ada Zora", "display_name=Ada Zora"),
        ("http://x.example/claims/a?b: Ada", nil), ("http://x.example/a: Ada", nil),
        ("see http://x.example/claims/a: Ada", nil), ("http://x.example/claims/a: ", nil), ("http", nil),
    ])
    func claimsByTheAddressOfTheirTypes(line: String, told: String?) {
        let slot = ClaimLines.slot(in: Array(line.utf8)[...])
        let last = slot.map { Slot.told([$0], line)[0] }?.split(separator: "/").last
        #expect(last.map(String.init) == told)
    }

    @Test(arguments: [
        ("user = bolund\npassword = zem4\nhost = db", ["display_name", "password", "host"]),
        ("CONNECT\nlogin:bolund\npasscode:zem4\n", ["display_name", "passcode"]),
        // The texts of a page, and a user of something else.
        ("user: Benutzer\npassword: Passwort\n", ["user", "password"]),
        ("user = bolund\nhost = db", ["user", "host"]),
        ("user: username\npassword: zem4", ["user", "password"]),
        ("login: https://id.example/login\npassword: https://id.example/reset\n", ["login", "password"]),
        ("login: Sign in here\npassword: Your own word\n", ["login", "password"]),
        ("login: enabled\npasscode: disabled\n", ["login", "passcode"]),
        ("login: true\npassword: false\n", ["login", "password"]),
        ("user = SHOP\\bolund\npassword = zem4\n", ["display_name", "password"]),
    ])
    func whoSignsInByThePasswordBeside(text: String, names: [String]) {
        let bytes = Array(text.utf8)
        #expect(PersonLines.named(SlotReader.fields(bytes[...]), in: bytes[...]).map(\.name) == names)
    }

    @Test(arguments: ["= {\n a = b;\n", "={\n", "a = {\n", "input_value='", "password\n  input_value='a'\n"])
    func timeIsLinear(piece: String) {
        let text = Array(String(repeating: piece, count: 4_000).utf8)
        let clock = ContinuousClock()
        #expect(
            clock.measure {
                _ = DescribedObjects.slots(in: text[...])
                _ = ValidationReports.slots(in: text[...])
            } < .seconds(30)
        )
    }
}
