import JSON
import Testing

@testable import Sharing

/// What a client is called stays, whatever it looks like.
struct ClientNamesTests {
    @Test func subjectOfAClientsTokenThatIsAPartOfItsNameIsNobody() {
        var found = FoundSecrets()
        found.identifiers = ["com.example.shop.web"]
        found.clientSubjects = ["com.example.shop", "com.example.shop.web.eu", "com.example.sho", "bolund"]
        let users = ["com.example.sho", "bolund", "com.example"]
        for text in found.clientSubjects.union(users) {
            found.values[text] = .subject
            found.named[NamedValue("sub", text)] = .subject
        }
        found.settle()
        #expect(found.values.keys.sorted() == users.sorted())
        #expect(found.named.keys.map(\.value).sorted() == users.sorted())
    }

    /// Sign in with Apple: the client's secret is a token (RFC 7523) whose subject is a part of what the client is called.
    @Test func clientOfATokenThatIsItsSecretKeepsItsName() throws {
        let token =
            "eyJhbGciOiJFUzI1NiIsImtpZCI6IktJRDEyMyJ9.eyJpc3MiOiJURUFNMTIzNDU2IiwiYXVkIjoiaHR0cHM6Ly9pZC5oYXJib3VyLmV4YW1wbGUiLCJzdWIiOiJjb20uZXhhbXBsZS5zaG9wIiwiZXhwIjoxNzgzODQ4NjAwfQ.CzBVep_E6Q4zWH2ix-wRNluApcrvFDleg6jN8hc8YYar0PUaP2SJrtP4HUJnjLHW-yBFao-02f4jSG2St9wBJg"
        try expectKept("com.example.shop.web", secret: token)
    }

    @Test(arguments: ["Adas-MacBook-Pro", "displayName:Harbour", "d4-22-e0-d6-aa-12"])
    func clientThatIsCalledAsSomethingOfSomebodysKeepsItsName(client: String) throws {
        try expectKept(client, secret: "not-a-secret-of-anyone")
    }

    private func expectKept(_ client: String, secret: String) throws {
        let text = JSONWriter.text(of: try SharingWorld().document)
            .replacing("shop-web", with: client)
            .replacing("not-a-secret-of-anyone", with: secret)
        let shared = try SharingWorld(document: JSONParser.parse(Array(text.utf8))).shared()
        #expect(shared.differences.isEmpty)
        #expect(shared.text.contains(client))
        #expect(!shared.text.contains(secret))
    }
}
