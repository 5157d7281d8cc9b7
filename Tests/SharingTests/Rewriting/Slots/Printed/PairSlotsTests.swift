import Testing

@testable import Sharing

/// What texts give to a name for a password or a key.
struct PairSlotsTests {
    private static func values(_ text: String, isCode: Bool = false) -> [String] {
        let bytes = Array(text.utf8)
        return PairSlots.slots(in: bytes[...], isCode: isCode).map {
            String(decoding: bytes[$0.range], as: UTF8.self)
        }
    }

    /// As programs print what was posted, in the languages that they are written in.
    @Test(arguments: [
        "User(id: 3, password: Optional(\"zem4K!\"))", "User { password: Some(\"zem4K!\") }",
        "as max, pwd=zem4K!", "password : zem4K!", "Array\n(\n    [user] => bo\n    [password] => zem4K!\n)",
        "array(1) {\n  [\"password\"]=>\n  string(6) \"zem4K!\"\n}",
        "%{\"user\" => \"bo\", \"password\" => \"zem4K!\"}",
        "Map(user -> bo, password -> zem4K!)", "{:user \"bo\", :password \"zem4K!\"}",
        "((\"user\" . \"bo\") (\"password\" . \"zem4K!\"))", "[{user,<<\"bo\">>},{password,<<\"zem4K!\">>}]",
        "[('user', 'bo'), ('password', 'zem4K!')]", "Login(user=bo, password=zem4K!)",
        "{ Password = zem4K! }",
        "map[password:[zem4K!] user:[bo]]", "db: {user: bo, password: zem4K!}",
        "{\\\"password\\\": \\\"zem4K!\\\"}",
        "- **Password:** zem4K!", "Password: `zem4K!`", "ctl00$Password = zem4K!",
        "export DB_PASS='zem4K!'; run", "SPRING_DATASOURCE_HIKARI_PRIMARY_PASSWORD=zem4K!",
        "ConvertTo-SecureString -Password \"zem4K!\"",
        // One of several, what it is a member of, what is said behind its name.
        "password[]=zem4K!", "password[0]: zem4K!", "Password (again): zem4K!", "db.password.value=zem4K!",
        "password==zem4K!", "if password == 'zem4K!'",
        // Cut, and of several words.
        "password: \"zem4K!", "password: 'zem4K! and more'",
        // With a parameter behind it.
        "posted a=bo&password=zem4K!&__VIEWSTATE=x", "password=zem4K!&a[b].c=&d",
    ])
    func passwordIsFoundHoweverItIsGiven(text: String) {
        #expect(Self.values(text) == ["zem4K!"])
    }

    @Test(arguments: [
        ("OIDCClientSecret \"zem4KestrelQ8x\"", ["zem4KestrelQ8x"]),
        ("const apiKey = 'zem4KestrelQ8x'", ["zem4KestrelQ8x"]),
        // Of a client, what somebody chose as passwords are chosen; a word of the sentence.
        ("client_secret: zem4Kestrel", ["zem4Kestrel"]), ("the client_secret: zem4K was sent", ["zem4K"]),
        ("the clientSecret=zem4K was sent", ["zem4K"]), ("client_secret: not-registered", []),
        ("client_secret: AADSTS7000215: Invalid", []), ("client_secret: ${SECRET_2}", []),
        ("client_id: zem4Kestrel", []),
        // Words, variables, what is to be filled in, what only stands beside it.
        ("password: must be at least 8", []), ("Wrong password: rejected.", []), ("Password: required*", []),
        ("Password: min. 8 characters", []), ("password=$PASSWORD", []),
        ("password: <your-password>", []),
        ("one of ('password', 'urn:ietf:params:oauth:grant-type:device_code')", []),
        ("for password: urn:ietf:params:oauth:grant-type:token-exchange", []),
        // PHP's own form of it; who signs in with a password, and words beside one.
        ("a:1:{s:8:\"password\";s:6:\"zem4K!\";}", ["zem4K!"]),
        ("a:1:{s:8:\"password\";i:1;s:4:\"lang\";s:2:\"de\";}", []),
        ("[('username', 'bolund'), ('password', 'zem4K!')]", ["zem4K!", "bolund"]),
        ("{Username:bolund Password:zem4K!}", ["zem4K!", "bolund"]),
        ("username=[bolund], password=[zem4K!], scope=[openid]", ["zem4K!", "bolund"]),
        ("user=\"Kira Velsen\" signs in, password=zem4K!", ["zem4K!", "Kira Velsen"]),
        ("user=\"bolund=1 and\", password=zem4K!", ["zem4K!"]),
        ("username: required, password: zem4K!", ["zem4K!"]), ("{Username:bolund Scope:openid}", []),
        // Of letters alone, where no sentence goes on.
        ("{password=kestrel, username=bolund, scope=openid}", ["kestrel", "bolund"]),
        ("no way to Server=db;User Id=app;Password=kestrel;", ["kestrel"]),
        ("no way to Server=db;User ID=bolund;Password=kestrel;", ["kestrel", "bolund"]),
        ("for user id=bolund or password=kestrel;", []), ("Server=db;User ID=bolund;Encrypt=true;", []),
        ("a; password=kestrel and more", []),
        ("{\"user\"=>{\"password\"=>\"kestrel\", \"remember\"=>\"0\"}}", ["kestrel"]),
        ("[\"password\"]=>\n  string(7) \"kestrel\"\n", ["kestrel"]),
        ("['email' => 'required', 'password' => 'hashed']", []), ("{name=text, password=text}", []),
        ("{password=null, username=bolund}", []), ("{password=required}", []),
        ("{password=expired, username=bolund}", []), ("{\"password\"=>\"Incorrect\"}", []),
        ("login(user, password=None)", []), ("{\"password\"=>\"password\"}", []),
        ("Choose password=kestrel or another", []), ("{grant_type=password, scope=openid}", []),
        ("password:\"\",user:\"x-1\"", []), ("type=\"password\" name=\"user-name\"", []),
        ("[\"password\", \"refresh-token\"]", []), ("setField(\"password\", \"is-invalid\")", []),
        ("The password must have 8-12 characters", []), ("Password::broker()", []),
        ("password = getElementById('x-1')", []),
        ("password: readPassword()", []), ("password: ${DB_PASSWORD}", []),
        ("password.length: 8-12", []), ("PasswordBroker::reset-1", []),
        ("Forgot your password: https://id.example/reset-1", []),
        ("password->check('x-1')", []),
    ])
    func otherTextsTellNone(text: String, values: [String]) {
        #expect(Self.values(text) == values)
    }

    @Test(arguments: [
        ("password: $zem4K!", "$zem4K!"), ("password:-zem4K!", "-zem4K!"), ("password: zem4()K!", "zem4()K!"),
    ])
    func passwordWithTheMarksOfAnExpressionIsOne(text: String, value: String) {
        #expect(Self.values(text) == [value])
    }

    @Test func longTokenBetweenQuotationMarksIsFound() {
        let token = String(repeating: "aB3dE5gH", count: 20)
        #expect(Self.values("api_key: \"\(token)\"") == [token])
    }

    @Test func memberOfAnObjectInCodeIsNotTheObject() {
        #expect(Self.values("t.password.className='is-x1'", isCode: true).isEmpty)
        #expect(Self.values("e.password='zem4K!'", isCode: true) == ["zem4K!"])
    }

    @Test func codeGivesNothingWithoutQuotationMarks() {
        #expect(Self.values("t.password=e.value,u.password='zem4K!'", isCode: true) == ["zem4K!"])
    }

    /// Each name looks for its value no farther than a few bytes.
    @Test func manyNamesAreReadInLinearTime() {
        let text = String(repeating: "password=\"", count: 40_000)
        #expect(Self.values(text, isCode: true).count == 20_000)
        #expect(Self.values(String(repeating: "password:", count: 4_000)).isEmpty)
    }
}
