import Captures
import JSON
import Sharing
import Testing

/// Names and numbers of accounts, as documents about people tell them.
struct AccountTests {
    /// A login of somebody whose account is called so.
    private static func world(of account: String) throws -> SharingWorld {
        var world = try SharingWorld()
        world.append(
            "https://id.code.example/userinfo",
            json: #"{"sub":"77","preferred_username":"\#(account)"}"#
        )
        world.options.keepsAll = true
        return world
    }

    private static func shared(_ url: String, type: String, body: String) throws -> SharingWorld.Shared {
        var world = try SharingWorld()
        world.append(url, type: type, body: body)
        world.options.keepsAll = true
        return try world.shared()
    }

    @Test func accountIsTheSameInAddressesOfItsDocument() throws {
        let shared = try Self.shared(
            "https://api.code.example/user",
            type: "application/json",
            body: #"{"login":"octokatze","id":583231,"html_url":"https://code.example/octokatze?u=583231"}"#
        )
        let text = try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string ?? ""
        #expect(shared.differences.isEmpty)
        #expect(!text.contains("octokatze") && !text.contains("583231"))
        let parts = text.split { !$0.isLetter && !$0.isNumber }
        #expect(parts.count == 12 && parts[1] == parts[9] && parts[3] == parts[11])
    }

    /// The button that a form is sent by; what is numbered elsewhere; a number that is not much of one.
    @Test(arguments: [
        ("https://id.harbour.example/x", "text/html", "<input name=login value=\"Sign In\"><b>Sign In</b>"),
        ("https://api.code.example/orders", "application/json", #"{"login":"octokatze","id":583231}"#),
        ("https://api.code.example/user", "application/json", #"{"plan":"octo","id":58}"#),
    ])
    func otherValuesStay(url: String, type: String, body: String) throws {
        let shared = try Self.shared(url, type: type, body: body)
        let text = try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string
        #expect(text?.hasSuffix(String(body.suffix(8))) == true)
    }

    /// What is kept under a name is kept where a path tells it, too.
    @Test(arguments: [Set(["username"]), []])
    func keptAccountKeepsItsFolder(names: Set<String>) throws {
        var world = try SharingWorld()
        world.append("https://app.example/x", json: #"{"username":"kiravel7","m":"/home/kiravel7/x.txt"}"#)
        (world.options.keptNames, world.options.keepsAll) = (names, true)
        #expect(try world.shared().text.contains("/home/kiravel7/x.txt") != names.isEmpty)
    }

    /// Things have an `id` in a document about somebody, too, and a number may be a day, a size or a version elsewhere.
    @Test func numberOfAnAccountIsNoOtherNumber() throws {
        var world = try SharingWorld()
        let body =
            #"{"id":583231,"name":"Ann Poe","settings":{"items":[{"id":864000}]},"#
            + #""owner":{"login":"octokatze","id":271828}}"#
        world.append("https://api.code.example/user", json: body)
        world.append(
            "https://api.code.example/users/583231?from=583231&size=864000",
            type: "text/html",
            body: "<a href='/people/271828?v=271828'>583231</a> expires_in: 864000 /day/271828"
        )
        world.options.keepsAll = true
        let shared = try world.shared()
        let last = try shared.entry(shared.capture.count - 1)
        let url = try #require(last["request"]?["url"]?.string)
        #expect(url.hasSuffix("?from=583231&size=864000") && !url.contains("users/583231"))
        let text = try #require(last["response"]?["content"]?["text"]?.string)
        #expect(text.hasSuffix("?v=271828'>583231</a> expires_in: 864000 /day/271828"))
        #expect(!text.contains("people/271828"))
        let document = try shared.entry(shared.capture.count - 2)["response"]
        let own = try #require(document?["content"]?["text"]?.string)
        #expect(!own.contains("583231") && !own.contains("271828") && own.contains("864000"))
        #expect(shared.differences.isEmpty)
    }

    /// An account that is called as a page or a path is: it is nobody's name where it does not stand as one.
    @Test(arguments: [
        "callback", "authorize", "google", "github", "chrome", "dashboard", "staging", "mercury",
    ])
    func accountThatIsAWordIsReplacedWhereItIsNamed(login: String) throws {
        var world = try SharingWorld()
        world.append(
            "https://api.code.example/user",
            json: #"{"login":"\#(login)","type":"User"}"#
        )
        let page = "<div class='\(login)'>The \(login) view</div>"
        world.append("https://code.example/v1/\(login)?view=\(login)", type: "text/html", body: page)
        world.options.keepsAll = true
        let shared = try world.shared()
        let document = try shared.entry(shared.capture.count - 2)["response"]?["content"]?["text"]?.string
        #expect(document?.contains(login) == false)
        let last = try shared.entry(shared.capture.count - 1)
        #expect(last["request"]?["url"]?.string == "https://code.example/v1/\(login)?view=\(login)")
        #expect(last["response"]?["content"]?["text"]?.string == page)
        #expect(shared.differences.isEmpty)
    }

    /// A whole value may be shorter than what is looked for in longer ones.
    @Test(arguments: ["wquist", "Mei"])
    func nameOfAnAccountAloneIsReplaced(name: String) throws {
        var world = try Self.world(of: name)
        world.append(
            "https://code.example/list?view=\(name)",
            body: name,
            extra: [("_filter", [["name": "view", "value": .string(name)], .string(name)])]
        )
        world.options.keepsAll = true
        let shared = try world.shared()
        let last = try #require(shared.capture.text(ofEntry: shared.capture.count - 1))
        #expect(!String(decoding: last, as: UTF8.self).contains(name))
        #expect(shared.differences.isEmpty)
    }

    /// Where somebody is to be led back to, with something drawn beside the name.
    @Test(arguments: ["wquist", "wquist77"])
    func nameOfAnAccountInsideOfAStateIsReplaced(name: String) throws {
        var world = try Self.world(of: name)
        world.append(
            "https://code.example/login?state=%2Fhome%2F\(name)%2FgT7xQ2mV9pLkZw8yR3nB6cHj",
            body: "/home/\(name)/gT7xQ2mV9pLkZw8yR3nB6cHj"
        )
        world.options.keepsAll = true
        let shared = try world.shared()
        let last = try shared.entry(shared.capture.count - 1)
        let text = try #require(last["response"]?["content"]?["text"]?.string)
        #expect(text.hasPrefix("/home/") && !text.contains(name) && !text.contains("gT7xQ2mV9pLk"))
        let state = text.replacing("/", with: "%2F")
        #expect(last["request"]?["url"]?.string == "https://code.example/login?state=\(state)")
        #expect(shared.differences.isEmpty)
    }

    /// Letters alone: it is proven that the name is gone, too.
    @Test func nameOfAnAccountThatIsForgottenIsSeen() throws {
        var world = try Self.world(of: "wquist")
        world.append("https://code.example/users/wquist", type: "text/html", body: "<b>wquist</b>")
        let capture = try world.capture()
        #expect(try SharingWorld.outcome(of: capture, world.options).isProven)
        #expect(try !world.outcome(leaving: #""comment":"seen by wquist""#).leaks.isEmpty)
    }

    /// Behind `/users/` it is somebody's, and what is called as a page is stays a page.
    @Test(arguments: [
        ("login", "mercury", true), ("preferred_username", "mercury", true), ("login", "settings", false),
        ("preferred_username", "settings", false),
    ])
    func accountThatIsAWordIsReplacedBehindUsers(member: String, login: String, isReplaced: Bool) throws {
        var world = try SharingWorld()
        world.append(
            "https://api.code.example/user",
            json: #"{"\#(member)":"\#(login)","type":"User"}"#
        )
        let page = "<div class='\(login)'>The \(login) view</div>"
        world.append(
            "https://code.example/users/\(login)/repos?view=\(login)",
            type: "text/html",
            body: page + "<a href='/users/\(login)-two'>"
        )
        world.options.keepsAll = true
        let capture = try world.capture()
        #expect(try SharingWorld.outcome(of: capture, world.options).isProven)
        let shared = try world.shared()
        let last = try shared.entry(shared.capture.count - 1)
        let url = try #require(last["request"]?["url"]?.string)
        #expect(url.contains("/users/\(login)/") != isReplaced)
        #expect(url.hasSuffix("/repos?view=\(login)"))
        let text = last["response"]?["content"]?["text"]?.string
        #expect(text == page + "<a href='/users/\(login)-two'>")
    }

    /// Of the number as it is known the first digit is one in the middle, and becomes any.
    @Test func phoneNumberStaysANumberOfJSON() throws {
        for _ in 0..<24 {
            var world = try SharingWorld()
            world.append(
                "https://api.code.example/me",
                json: #"{"id":7,"phone_number":"+49 30 1234567"}"#
            )
            let url = "https://api.code.example/q"
            world.append(url, json: #"{"a":301234567,"b":1}"#)
            world.options.keepsAll = true
            let shared = try world.shared()
            let body = try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string
            let text = try #require(body)
            #expect(!text.contains("301234567"))
            #expect((try? JSONParser.parse(text.utf8)) != nil, "\(text)")
        }
    }

    @Test func accountStaysWithWhatIsPersonal() throws {
        var world = try SharingWorld()
        let body = #"{"login":"octokatze","id":583231,"url":"https://code.example/octokatze"}"#
        world.append("https://api.code.example/user", json: body)
        world.options.keepsAll = true
        world.options.keepsPersonal = true
        let shared = try world.shared()
        #expect(
            try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string == body
        )
    }
}
