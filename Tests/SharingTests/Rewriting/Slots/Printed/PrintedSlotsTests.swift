import Testing

@testable import Sharing

/// What programs print of somebody, in the languages that they are written in.
struct PrintedSlotsTests {
    private static func told(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return PrintedSlots.slots(in: bytes[...]).map {
            "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
    }

    @Test(arguments: [
        "Array\n(\n    [aud] => shop-web\n    [given_name] => Ada Zora\n)\n",
        "Array ( [aud] => shop-web [given_name] => Ada Zora [exp] => 1 )",
        "Array ( [given_name] => Ada Zora )",
        "array(1) {\n  [\"given_name\"]=>\n  string(8) \"Ada Zora\"\n}",
        "array (\n  'aud' => 'shop-web',\n  'given_name' => 'Ada Zora',\n)",
        "a:1:{s:10:\"given_name\";s:8:\"Ada Zora\";}",
        "{\"aud\"=>\"shop-web\", \"given_name\"=>\"Ada Zora\"}", "{:given_name=>\"Ada Zora\"}",
        "claims {'aud': 'shop-web', 'given_name': 'Ada Zora'}", "{'given_name': \"Ada Zora\"}",
        "{aud=shop-web, given_name=Ada Zora, exp=1}", "User(given_name=Ada Zora)",
        "User(id=7, given_name='Ada Zora')",
        "User { Id = 7, given_name = Ada Zora }", "(&(objectClass=person)(given_name=Ada Zora))",
        "got { aud: 'shop-web', given_name: 'Ada Zora' }", "{\n  given_name: 'Ada Zora',\n  exp: 1\n}",
        "{given_name: Ada Zora, aud: shop-web}", "Key (given_name)=(Ada Zora) already exists.",
        "UPDATE people SET given_name = 'Ada Zora' WHERE id=7",
        "no account for given_name=\"Ada Zora\"",
        "WHERE given_name = $1 LIMIT $2  [[\"given_name\", \"Ada Zora\"], [\"LIMIT\", 1]]",
        "User(id: 3, given_name: \"Ada Zora\")", "User(id: 3, given_name: Optional(\"Ada Zora\"))",
        "User { id: 3, given_name: Some(\"Ada Zora\") }",
    ])
    func nameIsFoundHoweverItIsPrinted(text: String) {
        #expect(Self.told(text) == ["given_name=Ada Zora"])
    }

    @Test(arguments: [
        "Array\n(\n    [password] => kestrel\n)\n", "s:8:\"password\";s:7:\"kestrel\";",
        "got {'id': 7, 'password': 'kestrel'}", "got { id: 7, password: 'kestrel' }",
        "{Id:7 Password:kestrel Remember:true}", "Login { Id = 7, Password = kestrel }",
        "Login(id: 7, password: Optional(\"kestrel\"))", "#<Login id: 7, password: \"kestrel\">",
    ])
    func passwordOfLettersIsFoundHoweverItIsPrinted(text: String) {
        #expect(Self.told(text).map { $0.lowercased() } == ["password=kestrel"])
    }

    @Test(arguments: [
        ("sign-in failed: username=bolund, from 3 devices", ["username=bolund"]),
        ("sign-in failed for username=bolund.", ["username=bolund"]),
        ("map[aud:shop-web username:bolund]", ["username=bolund"]),
        ("{Username:bolund Aud:shop-web}", ["Username=bolund"]),
        ("checked client_secret=kestrel at 9", ["client_secret=kestrel"]),
        ("Token [Principal=bolund, Credentials=[PROTECTED]]", ["username=bolund"]),
        ("Token [Principal=anonymousUser, Credentials=[]]", []),
        ("a = [\"username\", \"email\"], [\"given_name\", \"First name\"]", []),
        ("a = (\"username\", \"bolund\")", []), ("User(given_name: Optional(nil))", []),
        // Rules, types, variables, labels, what is to be filled in, and names of others.
        ("'username' => 'required|string'", []), ("['username' => 'string', 'birthdate' => 'date']", []),
        ("authenticate(username=username, password=password)", []), ("username=$USER and more", []),
        ("'given_name' => 'Given name'", []), ("'username': 'preferred_username'", []),
        ("[username] => \n[aud] => shop-web", []), ("Array ( [username] =>  [grant_type] => password )", []),
        ("username=<your-name>", []),
        ("User(username=None)", []), ("WHERE username = ? AND x = 1", []),
        ("WHERE username = :username", []), ("f(username=form.get('x'), y=1)", []),
        ("https://id.example/?username=bolund&x=1", []), ("at https://id.example/?a=1&username=bolund", []),
        ("given_name: a claim of somebody", []), ("username:bolund", []), ("if username == 'bolund'", []),
        ("{ username: data.user, x: 1 }", []), ("given_name: 'Ada'", []), ("{given_name: ", []),
        ("scope=openid given_name", []), ("{grant_type=password, scope=openid}", []),
        ("{'password': 'Passwort', 'pwd': 'string'}", []), ("{'password': 'required'}", []),
        ("choose password=kestrel or another", []), ("{ password: kestrel }", []),
        ("{'password': 'abc'}", []), ("no sign-in: {'password': 'expired'}", []),
        ("Array ( [password] => rejected )", []), ("{:password=>\"mismatch\"}", []),
        ("{ password: 'Unsupported' }", []),
        ("{'password_status': 'active'}", []), ("Login(id: 7, password: SecretStr)", []),
        ("Login { Id = 7, Password = SecureString }", []),
        ("client_secret=client_secret", []), ("[given_name] =>", []), ("{given_name=", []),
        ("Key (given_name)=(", []), ("'given_name' => '", []),
    ])
    func otherTextsTellNone(text: String, told: [String]) {
        #expect(Self.told(text) == told)
    }

    /// Behind each name no more is looked at than a few bytes.
    @Test func manyNamesAreReadInLinearTime() {
        #expect(
            PrintedSlots.slots(in: Array(String(repeating: "'username' => '", count: 20_000).utf8)[...])
                .isEmpty
        )
        let text = String(repeating: "{username:bolund ", count: 10_000)
        #expect(PrintedSlots.slots(in: Array(text.utf8)[...]).count == 10_000)
    }
}
