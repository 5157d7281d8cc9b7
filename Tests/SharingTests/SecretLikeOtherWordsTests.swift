import Captures
import Flows
import JSON
import LibCrypto
import Sharing
import Testing

/// Secrets that are as other things of the capture are called: replaced where they are secrets, and no reason to refuse.
struct SecretLikeOtherWordsTests {
    /// A single character under a common name stands in anybody's addresses.
    @Test(arguments: [("1", true), ("7q", false)])
    func aSingleCharacterIsNoLeak(value: String, isLawful: Bool) throws {
        var world = try SharingWorld()
        world.append("https://www.shop.example/x?csrftoken=\(value)")
        let original = try world.capture()
        let redactor = Redactor(
            [(original, FlowFinder.flows(in: original))],
            options: SharingOptions(),
            random: { SecureRandom.bytes($0) },
            makeKey: LentKeys.lender()
        )
        let leaks = redactor.leakScan().leaks(in: ["text": .string("https://a.example/?csrftoken=\(value)")])
        #expect(leaks.isEmpty == isLawful)
    }

    @Test func passwordThatIsAWordOfTheProtocolIsReplacedWhereItIsOne() throws {
        var world = try SharingWorld()
        let form = "flow=66xrK51pK7l60Ilqm7vutt&user=alice&password=authorization_code"
        world.send(form, in: 3)
        let shared = try world.shared()
        #expect(!shared.text.contains("password=authorization_code"))
        #expect(shared.text.contains("grant_type=authorization_code"))
        #expect(shared.differences.isEmpty)
    }

    /// What a server was asked for, as its pages of errors call it, is the callback itself, and no `request_uri` of a pushed request.
    @Test(arguments: [true, false]) func addressThatAServerWasAskedForIsNoPushedRequest(isPath: Bool) throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        let asked = isPath ? "/items/overview?page=two" : "urn:example:overview-of-items"
        world.append(
            "https://www.shop.example/items/overview?page=two",
            type: "text/html",
            body: "<table><tr><td>REQUEST_URI</td><td><pre>&#x27;\(asked)&#x27;</pre></td></tr></table>"
        )
        let shared = try world.shared()
        #expect(shared.text.contains(asked) == isPath)
        #expect(shared.text.contains("https://www.shop.example/items/overview?page=two"))
        #expect(shared.differences.isEmpty)
    }

    /// Identifiers that somebody wrote by hand are like one another: all that is drawn of one is in the client's as well.
    @Test func identifierLikeTheClientsIsNoReasonToRefuse() throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        let client = "6f0c1a52-9d1e-4b7a-a7f0-5a1c3b9d1e77"
        world.append(
            "https://id.harbour.example/authorize?response_type=code&client_id=\(client)",
            type: "text/html",
            body: "<p>No application \(client) is known. Request: 5f0c8a52-9d1e-4b7a-a7f0-5a1c3b9d0000</p>"
        )
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture, world.options)
        #expect(outcome.isProven, "\(outcome.unprotected)")
        let text = try world.shared().text
        #expect(!text.contains("5f0c8a52"), "it is replaced all the same")
    }

    /// The name of somebody, or of a firm, as its host is called.
    @Test func nameAsTheHostIsCalledIsNoReasonToRefuse() throws {
        var world = try SharingWorld()
        world.changeBody(7) { $0["name"] = "Harbour Example" }
        let outcome = try SharingWorld.outcome(of: world.capture())
        #expect(outcome.isProven, "\(outcome.differences)")
        #expect(try !world.shared().text.contains("Harbour Example"))
    }

    /// It stays in the browser's name.
    @Test func passwordAsTheBrowserIsCalledIsReplacedWhereItIsOne() throws {
        var world = try SharingWorld()
        world.send("flow=66xrK51pK7l60Ilqm7vutt&user=alice&password=Firefox", in: 3)
        let outcome = try SharingWorld.outcome(of: world.capture())
        #expect(outcome.isProven, "\(outcome.differences)")
        let text = try world.shared().text
        #expect(!text.contains("password=Firefox") && text.contains("Firefox/140.0"))
    }

    /// Names that are filled up to a length, and marks in a row, stand anywhere.
    @Test(arguments: ["display_name", "password"])
    func marksInARowAreNoReasonToRefuse(name: String) throws {
        var world = try SharingWorld()
        let body = "{\"\(name)\":\"Brunhild            Quist7..............\",\n              \"a\":1}"
        world.append("https://id.harbour.example/x", json: body)
        world.append("https://id.harbour.example/y", json: "{\n              \"b\":\"..............\"}")
        world.options.keepsAll = true
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options)
        #expect(outcome.isProven, "\(outcome.leaks)")
        #expect(try !world.shared().text.contains("Brunhild"))
    }

    /// Lists in which everything occurs that the values could become: each of them is somebody's.
    @Test(arguments: [
        (0..<10).map { "{\"sub\":\"\($0)\"}" },
        (10..<100).map { "{\"csrftoken\":\"\($0)\"}" },
        (10..<100).map { "{\"email\":\"\($0)@shop.example\"}" },
        (0..<200).map { "{\"seen\":\"10.0.\(100 + $0 / 100).\(100 + $0 % 100)\"}" },
    ])
    func listOfNumberedValuesIsNoReasonToRefuse(items: [String]) throws {
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append("https://id.harbour.example/x", json: "[" + items.joined(separator: ",") + "]")
        let outcome = try SharingWorld.outcome(of: world.capture(), world.options)
        #expect(outcome.isProven, "\(outcome.leaks.prefix(3)) \(outcome.differences.prefix(3))")
        let shared = try world.shared()
        let body = try shared.entry(shared.capture.count - 1)["response"]?["content"]?["text"]?.string ?? ""
        let made = try #require(JSONParser.parse(body.utf8).array).map { JSONWriter.text(of: $0) }
        // What was different stays so, and nothing is left where it was; a zero by itself has no other digit to become.
        #expect(Set(made).count == items.count)
        #expect(zip(made, items).filter { $0 == $1 }.count <= 1)
    }
}
