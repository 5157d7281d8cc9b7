import Captures
import JOSE
import JSON
import OAuth
import Provider
import TestSupport
import Testing

/// Users whom their browser signs in (Federated Credential Management), as Chromium asked in a recording.
struct PlayedIdentityAssertionTests {
    private static let base = RecordedProviderTests.base

    /// `isOpaque`: the recorded token says nothing.
    private static func ask(_ changes: [String: String], isOpaque: Bool = false) throws
        -> (caller: Caller, answer: RecordedResponse)
    {
        let name = "Tests/Recordings/fedcm-chromium.har"
        let recorded = String(decoding: try Fixtures.bytes(name), as: UTF8.self)
        let text = isOpaque ? recorded.replacing(/eyJ[\w.-]+/, with: "o-7Hq2vLx7TzB4nWm8RdYc9") : recorded
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: name)
        let caller = Caller(try RecordedProviderTests.provider(capture))
        let form = [
            ("client_id", "shop"), ("nonce", "n-of-mine"), ("account_id", "alice"),
            ("disclosure_text_shown", "false"), ("params", #"{"nonce":"n-of-params"}"#),
        ]
        return (
            caller,
            caller.post(
                base + "/assert",
                form.map { ($0.0, changes[$0.0] ?? $0.1) }.filter { !$0.1.isEmpty }
            )
        )
    }

    @Test(arguments: [("n-of-mine", "n-of-mine"), ("", "n-of-params")])
    func chosenAccountBringsATokenOfItsRequest(sent: String, nonce: String) throws {
        let (caller, answer) = try Self.ask(["nonce": sent])
        #expect(answer.status == 200)
        let text = try #require(caller.json(answer)["token"]?.string)
        let token = try #require(JSONWebToken.parse(text))
        let keys = JSONWebKeySet(json: caller.json(caller.get(Self.base + "/keys")))?.keys ?? []
        #expect(token.verify(keys: keys).outcome == .valid)
        #expect(token.claim("nonce")?.string == nonce && token.audience == ["shop"])
        #expect(token.issuer == Self.base && token.subject == "alice")
        #expect(token.issuedAt == caller.now.seconds)
    }

    @Test func chosenAccountOfATokenThatSaysNothingBringsOne() throws {
        let (caller, answer) = try Self.ask([:], isOpaque: true)
        #expect(answer.status == 200 && caller.json(answer)["token"]?.string?.isEmpty == false)
        #expect(try Self.ask(["account_id": "bob"], isOpaque: true).answer.status == 401)
    }

    @Test(arguments: [
        (["client_id": "another"], "unauthorized_client"), (["account_id": "bob"], "access_denied"),
    ])
    func strangersAreRefused(changes: [String: String], code: String) throws {
        let (caller, answer) = try Self.ask(changes)
        #expect(answer.status == 401 && caller.json(answer)["error"]?["code"]?.string == code)
    }
}
