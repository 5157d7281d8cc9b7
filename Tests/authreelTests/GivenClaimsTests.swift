import ArgumentParser
import JSON
import Provider
import Testing

@testable import authreel

/// Claims that `mock --claim` gives its users.
struct GivenClaimsTests {
    /// Those of alice and of bob.
    private static func claims(_ option: String) throws -> [JSONObject] {
        var users = ["alice", "bob"].map {
            ProviderConfiguration.User(name: $0, password: "p", subject: $0, fullName: $0, email: "")
        }
        for claim in try MockOptions.parse(["--claim", option]).claims() { claim.give(to: &users) }
        return users.map(\.givenClaims)
    }

    @Test(
        arguments: [
            (#"groups=["admin"]"#, ["groups": ["admin"]], ["groups": ["admin"]]),
            ("email_verified=false", ["email_verified": false], ["email_verified": false]),
            ("note=a=b", ["note": "a=b"], ["note": "a=b"]), ("note=", ["note": ""], ["note": ""]),
            ("alice:acr=gold", ["acr": "gold"], [:]),
            ("urn:shop:role=buyer", ["urn:shop:role": "buyer"], ["urn:shop:role": "buyer"]),
        ] as [(String, JSONObject, JSONObject)]
    )
    func claimIsGivenToWhomItIsFor(option: String, alice: JSONObject, bob: JSONObject) throws {
        #expect(try Self.claims(option) == [alice, bob])
    }

    /// A colon may be a name's own: who is meant is said, and not refused.
    @Test(arguments: [
        ("carol:acr=gold", "carol"), ("cognito:groups=x", "cognito"), ("alice:acr=gold", nil),
        ("bob@mail.example:acr=gold", nil), ("acr=gold", nil), ("urn:shop:role=buyer", nil),
        ("https://shop.example/role=buyer", nil),
    ])
    func claimOfSomebodyElseIsNoticed(option: String, stranger: String?) throws {
        let users = ["alice", "bob"].map {
            ProviderConfiguration.User(
                name: $0,
                password: "p",
                subject: $0,
                fullName: $0,
                email: "\($0)@mail.example"
            )
        }
        let claim = try MockOptions.parse(["--claim", option]).claims().first
        #expect(claim?.stranger(to: users) == stranger)
    }

    /// What belongs to a token is not somebody's.
    @Test(arguments: ["groups", "=x", "sub=x", "alice:nonce=x"])
    func claimThatIsNoneIsRefused(option: String) {
        #expect(throws: CommandFailure.self) { try Self.claims(option) }
    }
}
