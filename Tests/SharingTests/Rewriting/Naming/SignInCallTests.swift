import JSON
import TestSupport
import Testing

@testable import Sharing

/// Passwords that stand at a place, and have no name.
struct SignInCallTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var text: String
        /// As `name=value`, of those that a call gives names.
        var told: [String]
        var testDescription: String { text }
    }

    private static func told(_ text: String, as kind: TextKind) -> [String] {
        let bytes = Array(text.utf8)
        return SlotReader.slots(in: bytes[...], as: kind).filter {
            ["login_hint", "password"].contains($0.name)
        }
        .map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" }
    }

    @Test(arguments: [
        Row(
            text: "#0 /app/Auth.php(12): Auth->login('max', 'zem4Kestrel!')",
            told: ["login_hint=max", "password=zem4Kestrel!"]
        ),
        Row(
            text: "#0 /app/Auth.php(12): Auth->login('max', 'kestrel')",
            told: ["login_hint=max", "password=kestrel"]
        ),
        Row(
            text: "PDO->__construct('mysql:host=db', 'app', 'zem4Kestrel!') #1 {main}",
            told: ["login_hint=mysql:host=db", "password=app", "password=zem4Kestrel!"]
        ),
        // GWT
        Row(
            text:
                "7|0|7|https://a.example/|4F|a.Auth|login|java.lang.String/20|max|zem4K!|1|2|3|4|2|5|5|6|7|",
            told: ["login_hint=max", "password=zem4K!"]
        ),
        Row(text: "7|0|6|https://a.example/|4F|a.Shop|list|java.lang.String/20|max|1|2|3|4|2|5|", told: []),
        Row(text: "7|0|99|https://a.example/|4F|a.Auth|login|max|zem4K!|1|2|", told: []),
        Row(
            text: "AuthService.login(max, zem4Kestrel!) failed",
            told: ["login_hint=max", "password=zem4Kestrel!"]
        ),
        // Of a program's source, and no call.
        Row(text: "passport.authenticate('google', 'popup')", told: []),
        Row(text: "$auth->login($username, $password); attempt($_POST['user'], $_POST['pwd'])", told: []),
        Row(text: "return login(e.username, e.password)", told: []),
        Row(text: "mutation L($a:String!,$b:String!){signIn(login:$a,password:$b){t}}", told: []),
        Row(text: "auth.login(max, $ecret9x)", told: ["login_hint=max", "password=$ecret9x"]),
        Row(text: "auth.login('max', '$password')", told: ["login_hint=max", "password=$password"]),
        Row(text: "auth.login(max, zem.Kestrel)", told: ["login_hint=max", "password=zem.Kestrel"]),
        Row(text: "please login (see below) with your password(s), again", told: []),
        Row(text: "Foo->__construct('max', 'zem4Kestrel!')", told: []),
        // An address is none of the two.
        Row(text: "auth.login('max', 'https://shop.example/cb')", told: []),
        Row(
            text: "ldap_bind('ldaps://dir.example', 'max', 'zem4Kestrel!')",
            told: ["login_hint=max", "password=zem4Kestrel!"]
        ),
    ])
    func callInATextTells(row: Row) { #expect(Self.told(row.text, as: .text) == row.told) }

    /// As programs print what they were given, and base64 with its padding, which names nothing.
    @Test(arguments: [
        (
            "LoginRequest(username=max, password='zem4K!', remember=false)",
            ["username=max", "password=zem4K!", "remember=false"]
        ),
        ("login('max', 'emVtNEtlc3RyZWw=')", ["login_hint=max", "password=emVtNEtlc3RyZWw="]),
        ("login('max', 'zem4=K!')", ["login_hint=max", "password=zem4=K!"]),
        ("login(max, zem4=K!)", ["login_hint=max", "password=zem4=K!"]),
        ("login('max', password='zem4K!')", ["login_hint=max", "password=zem4K!"]),
    ])
    func argumentMaySayItsName(text: String, told: [String]) {
        let bytes = Array(text.utf8)
        let slots = SignInCall.slots(in: bytes[...]).map {
            "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
        #expect(slots == told)
    }

    @Test(arguments: [
        Row(
            text: #"{"method":"login","params":["max","zem"],"id":1}"#,
            told: ["login_hint=max", "password=zem"]
        ),
        Row(
            text: #"{"args":["db","max","zem",{}],"method":"authenticate"}"#,
            told: ["login_hint=db", "password=max", "password=zem"]
        ),
        Row(text: #"{"target":"Login","arguments":["zem"]}"#, told: ["password=zem"]),
        Row(text: #"["login","max","zem"]"#, told: ["login_hint=max", "password=zem"]),
        Row(text: #"42["login","max","zem"]"#, told: ["login_hint=max", "password=zem"]),
        Row(
            text: #"{"operationName":"Login","variables":{"a":"max","b":"zem4Kestrel!"},"extensions":{}}"#,
            told: ["password=zem4Kestrel!"]
        ),
        Row(
            text: #"{"params":["max"],"method":"login","args":["zem"]}"#,
            told: ["login_hint=max", "password=zem"]
        ),
        Row(
            text: #"{"method":"login","params":["https:\/\/x.example\/","/callback?a=1","zem/4"]}"#,
            told: ["password=zem/4"]
        ),
        Row(text: #"["login","/callback"]"#, told: []),
        Row(text: #"{"operationName":"Login","variables":{"next":"/callback","a":"x://cb"}}"#, told: []),
        Row(text: #"{"method":"POST","params":["max","zem"]}"#, told: []),
        Row(text: #"["logout","max","zem"]"#, told: []),
    ])
    func callInJSONTells(row: Row) { #expect(Self.told(row.text, as: .json) == row.told) }

    @Test(arguments: [
        Row(text: "auth.signIn('max', 'zem4Kestrel!');", told: ["login_hint=max", "password=zem4Kestrel!"]),
        Row(
            text: "var a = 'b'; login(\"max\", \"zem4Kestrel!\", 1)",
            told: ["login_hint=max", "password=zem4Kestrel!"]
        ),
        Row(text: "login('#user', '#password'); signIn('github', 'redirect-v2')", told: []),
        Row(text: "login('max', $('zem4Kestrel!'))", told: []),
        Row(text: "logout('max', 'zem4Kestrel!')", told: []), Row(text: "login('zem4Kestrel!')", told: []),
        Row(text: "login('https://A1.example/cb', '/Cb/v2-A')", told: []), Row(text: "login()", told: []),
    ])
    func callInAScriptTells(row: Row) { #expect(Self.told(row.text, as: .json) == row.told) }

    /// A call has few arguments; a list far behind it is none of it.
    @Test func argumentsOfACallInXMLAreFew() {
        let list = (0..<9).map { "<string>zem\($0)</string>" }.joined()
        let told = Self.told("<?xml version=\"1.0\"?><a><login/>\(list)</a>", as: .html)
        #expect(told.count == 6 && told.last == "password=zem5")
    }

    @Test(arguments: [
        Row(
            text:
                "<methodCall><methodName>login</methodName><params><param><value><string>max</string></value>"
                + "</param><param><value>zem</value></param></params></methodCall>",
            told: ["login_hint=max", "password=zem"]
        ),
        Row(
            text: "<s:Body><n:login><arg0>max</arg0><arg1>zem</arg1></n:login></s:Body>",
            told: ["login_hint=max", "password=zem"]
        ),
        Row(text: "<methodCall><methodName>list</methodName><param><value>max</value></param>", told: []),
    ])
    func callInXMLTells(row: Row) { #expect(Self.told(row.text, as: .html) == row.told) }

    /// What a text is called is not told anew with each text behind it.
    @Test func timeGrowsWithTheArguments() {
        func seconds(_ count: Int) -> Double {
            let text = #"{"method":"login","params":["# + String(repeating: #""a","#, count: count) + "1]}"
            return ProcessorTime.seconds { _ = Self.told(text, as: .json) }
        }
        let small = seconds(1_000)
        // Eight times the text: linear is 8, quadratic 64.
        #expect(seconds(8_000) < 20 * max(small, 0.002))
    }

    /// The arguments of a call that is none of a sign-in are not looked at with each bracket that closes.
    @Test func timeGrowsWithTheBracketsOfAScript() {
        func seconds(_ count: Int) -> Double {
            let arguments = String(repeating: "'a',", count: count)
            let text = "call(\(arguments)" + String(repeating: ")", count: count)
            return ProcessorTime.seconds { _ = Self.told(text, as: .json) }
        }
        let small = seconds(1_000)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(16_000) < 50 * max(small, 0.004))
    }

    /// A server action of Next.js is posted to the page itself.
    @Test(arguments: [("/login", false), ("/sign-in", false), ("/cart", true)])
    func listThatIsPostedToASignInHasAPassword(path: String, stays: Bool) throws {
        var world = try SharingWorld()
        world.append("https://www.shop.example\(path)")
        let last = try #require(world.document["log"]?["entries"]?.array?.count) - 1
        world.change(last) { entry in
            guard var request = entry["request"]?.object else { return }
            request["method"] = "POST"
            request["postData"] = [
                "mimeType": "text/plain;charset=UTF-8", "text": #"["max","correcthorse"]"#,
            ]
            entry["request"] = .object(request)
        }
        world.options.keepsAll = true
        let shared = try world.shared()
        #expect(shared.text.contains("correcthorse") == stays)
        #expect(shared.differences.isEmpty)
    }

    @Test(arguments: [
        ("login", true), ("AuthService.signIn", true), ("/sign-in", true), ("wp.getUsersBlogs", true),
        ("mysqli->__construct", true), ("signInWithEmailAndPassword", true), ("Foo->__construct", false),
        ("logout", false), ("callback", false), ("", false),
    ])
    func nameTellsWhetherItTakesAPassword(name: String, isOne: Bool) {
        #expect(SignInCall.isOne(name) == isOne)
    }
}
