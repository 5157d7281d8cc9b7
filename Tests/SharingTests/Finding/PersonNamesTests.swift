import Captures
import JSON
import Testing

@testable import Sharing

/// Words of people's names in running text.
struct PersonNamesTests {
    private static func found(_ values: [String], _ text: String, taken: Set<String> = []) -> [String] {
        let bytes = Array(text.utf8)
        return PersonNames(values) { taken.contains($0) }.matches(in: bytes).map {
            String(decoding: bytes[$0.range], as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("Alice Example", "Welcome, Alice!", ["Alice"]),
        ("Alice", "ALICE, <b>Alice's</b> page", ["ALICE", "Alice"]),
        ("TAN XIAO HUI", "Hello Tan Xiao Hui", ["Tan", "Xiao", "Hui"]),
        ("alice", "/users/alice/keys", ["alice"]),
        ("Jürgen Öztürk", "Hallo Jürgen Öztürk", ["Jürgen", "Öztürk"]), ("Bob", "name=Bob&x", ["Bob"]),
        ("Jun Li", "Hi Jun Li, LI JUN; Li, li", ["Jun", "Li", "LI", "JUN"]),
        ("Wilhelmina Featherstone", "featherstone, wilhelmina", ["featherstone"]),
        ("Wilhelmina Featherstone", "/u/wilhelmina.featherstone", ["wilhelmina", "featherstone"]),
        ("Rose Miller", "rose.miller, a rose, the miller", ["rose", "miller"]),
        ("junli88", "/u/junli88?x Junli88", ["junli88", "Junli88"]),
        // What stands beside a name without a space, in other scripts, as a sign, in a pattern.
        ("wquist", "こんにちはwquistさん", ["wquist"]), ("wquist", "wquist→x, Hi wquist👋", ["wquist", "wquist"]),
        ("田中", "Hello田中!", ["田中"]), ("wquist", "LIKE '%wquist%'", ["wquist"]),
        // Behind a domain of Windows, in JSON as well.
        ("orla", #"CORP\orla, CORP\\orla"#, ["orla", "orla"]), ("Nora", #"CORP\Nora"#, ["Nora"]),
        ("nora", #"CORP\\nora, C:\Users\nora\q"#, ["nora"]), ("wquist", #"CORP\wquist"#, ["wquist"]),
    ])
    func wordsOfANameAreFound(name: String, text: String, expected: [String]) {
        #expect(Self.found([name], text) == expected)
    }

    /// Where words have no space between them, a name stands among others; in Korean at the beginning of a word.
    @Test(arguments: [
        ("山田 太郎", "ようこそ、山田太郎さん。太郎くんは山田", ["山田", "太郎", "太郎", "山田"]),
        ("张伟", "用户张伟已登录，张先生", ["张伟"]), ("王小明 小明", "王小明，小明", ["王小明", "小明"]),
        ("김민수", "김민수님 안녕하세요", ["김민수"]), ("サクラ", "サクラちゃん", ["サクラ"]),
        ("محمد الهاشمي", "مرحبا محمد، أهلا", ["محمد"]), ("홍길동", "홍길동님", ["홍길동"]),
    ])
    func nameAmongOtherWordsIsFound(name: String, text: String, expected: [String]) {
        #expect(Self.found([name], text) == expected)
    }

    /// A single character, the endings of words, the end of another word.
    @Test(arguments: [
        ("张 伟", "张开伟大"), ("さん たろう", "山田さん、たろうくん"), ("민수", "김민수님"), ("山田", "山と田、山"),
        ("山田", "山🙂田"),
    ])
    func partOfAnotherWordIsNoName(name: String, text: String) {
        #expect(Self.found([name], text).isEmpty)
    }

    /// A person and her account are called the same: each spelling counts.
    @Test(arguments: [["Alice", "Alice Sommer", "alice"], ["alice", "Alice"], ["ALICE", "Alice", "alice"]])
    func everySpellingOfANameIsKnown(names: [String]) {
        #expect(Self.found(names, "Hello Alice, /users/alice") == ["Alice", "alice"])
    }

    @Test func matchTellsTheSpellingThatStandsThere() {
        let words = PersonNames(["Alice", "alice"]) { _ in false }.matches(
            in: Array("alice Alice ALICE".utf8)
        )
        .map { String(decoding: $0.word, as: UTF8.self) }
        #expect(words == ["alice", "Alice", "Alice"])
    }

    /// Parts of other words, of tokens and of escapes; small words; what is used as a word.
    @Test(arguments: [
        ("Alice", "Malice Alices alice Alice7 _Alice Alice_"), ("Al Bo", "Al or Bo"), ("tan", "tan"),
        ("admin", "admin Admin"), ("value", "<input value=a>"), ("Will Grant", "Will you Grant access?"),
        ("Alice", "nAlice 7Alice"),
        ("alice@harbour.example", "alice"), ("", "Alice"), ("adele", "%adele"), ("alice", "alice%C3%A9"),
    ])
    func whatIsNoNameStays(name: String, text: String) {
        #expect(Self.found([name], text).isEmpty)
    }

    @Test(arguments: [
        ("wilhelmina.featherstone@mail.example", "Wilhelmina Featherstone"),
        ("Rose.Ann.Miller@x.example", "Rose Ann Miller"),
    ])
    func addressMayBeAName(address: String, name: String) {
        #expect(PersonNames.name(inAddress: address) == name)
    }

    @Test(arguments: [
        "alice@mail.example", "customer.service@mail.example", "r.miller@x.example", "a.b.c.d@x.example",
        "rose.2@x.example",
        "rose.miller", "..@x.example",
    ])
    func otherAddressesAreNone(address: String) { #expect(PersonNames.name(inAddress: address) == nil) }

    @Test func wordsThatMeanSomethingElseStay() {
        #expect(Self.found(["Harbour Light"], "Harbour Light", taken: ["harbour"]) == ["Light"])
    }

    @Test(arguments: [
        "Alice\u{2019}s account", "\u{201c}Alice\u{201d}", "Welcome\u{a0}Alice", "Alice\u{200b}!",
        "\u{ab}Alice\u{bb}",
        "Hello\u{2014}Alice",
    ])
    func marksBeyondASCIIAreNoLetters(text: String) {
        let names = PersonNames(["Alice Sommerfeld"]) { _ in false }
        #expect(
            names.matches(in: Array(text.utf8)).map { String(decoding: $0.word, as: UTF8.self) } == ["Alice"]
        )
    }

    @Test func accountsAreMadeOfWholeNames() {
        let accounts = PersonNames.accounts(of: "Alice Sommerfeld")
        for account in ["asommerfeld", "a.sommerfeld", "alicesommerfeld", "alice_sommerfeld", "sommerfelda"] {
            #expect(accounts.contains(account), "\(account)")
        }
        #expect(PersonNames.accounts(of: "Alice").isEmpty && PersonNames.accounts(of: "Test User").isEmpty)
    }

    /// An error page says the same words.
    @Test(arguments: [
        ("OpenID Connect", true), ("Acme SSO", true), ("Login/SAML", true), ("Carla Quistlund", false),
        ("Sso Quistlund", false), ("Open ID", true), ("Open Idlund", false),
    ])
    func nameOfAWayToSignInIsNobodys(name: String, isOne: Bool) throws {
        #expect(PersonNames.isWayToSignIn(name) == isOne)
        var world = try SharingWorld()
        world.append("https://id.harbour.example/ways", json: #"[{"display_name":"\#(name)"}]"#)
        world.append("https://id.harbour.example/x", type: "text/html", body: "<p>\(name) error</p>")
        world.options.keepsAll = true
        let shared = try world.shared()
        let page = try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string
        #expect((page == "<p>\(name) error</p>") == isOne)
    }

    /// Only what pages show is the name of such a way.
    @Test func accountOrPictureIsSomebodysWhateverItIsCalled() throws {
        var world = try SharingWorld()
        world.append(
            "https://id.harbour.example/me",
            json: #"{"username":"carla-SSO","picture":"https://id.harbour.example/SAML/carlaquist.jpg"}"#
        )
        world.options.keepsAll = true
        let text = try world.shared().text
        #expect(!text.contains("carla-SSO") && !text.contains("carlaquist"))
    }
}
