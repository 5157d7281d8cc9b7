import Captures
import OAuth
import Testing

@testable import Provider

/// What a token request may bring for its grant.
struct GrantCheckTests {
    private static let verifier = String(repeating: "v", count: 43)

    private func grant(_ change: (inout ProviderState.Grant) -> Void = { _ in }) -> ProviderState.Grant {
        var grant = ProviderState.Grant(
            clientID: "app",
            scope: "openid email",
            signedInAt: Timestamp(seconds: 1_790_000_000),
            family: "login"
        )
        change(&grant)
        return grant
    }

    private func check(_ change: (inout ProviderDialect) -> Void = { _ in }) -> GrantCheck {
        var dialect = ProviderDialect()
        change(&dialect)
        return GrantCheck(dialect)
    }

    /// RFC 6749, section 4.1.3.
    @Test(
        arguments: [
            ("https://app.example/cb", "https://app.example/cb", nil),
            ("https://app.example/cb", "https://app.example/cb/", .redirectURIDiffers),
            ("https://app.example/cb", nil, .redirectURIDiffers),
            (nil, nil, nil), (nil, "https://app.example/other", nil),
            (nil, "https://stranger.example/cb", .redirectURIDiffers),
        ] as [(String?, String?, Refusal?)]
    )
    func redirectURIIsThatOfTheLogin(asked: String?, sent: String?, expected: Refusal?) {
        let grant = grant { $0.redirectURI = asked }
        let registered = ["https://app.example/cb", "https://app.example/other"]
        #expect(check().refusal(ofRedirectURI: sent, grant, registered: registered) == expected)
    }

    /// RFC 7636, section 4.6.
    @Test(
        arguments: [
            ("S256", verifier, nil), ("S256", String(repeating: "w", count: 43), .verifierWrong),
            ("S256", "short", .verifierMalformed), ("S256", nil, .verifierMissing),
            ("S256", "", .verifierMissing),
            ("plain", CodeChallenge.s256(of: verifier), nil), ("plain", verifier, .verifierWrong),
            // Without a method it is plain (section 4.3).
            (nil, verifier, .verifierWrong),
        ] as [(String?, String?, Refusal?)]
    )
    func verifierFitsTheChallenge(method: String?, sent: String?, expected: Refusal?) {
        let grant = grant {
            $0.challenge = CodeChallenge.s256(of: Self.verifier)
            $0.challengeMethod = method
        }
        #expect(check().refusal(ofVerifier: sent, grant) == expected)
        // Of a login that began before the recording nobody knows the challenge.
        let foreign = self.grant { $0.isForeign = true }
        #expect(check().refusal(ofVerifier: sent, foreign) == nil)
    }

    @Test func challengeWithoutAMethodMayBeAHashWhereThatWasTaken() {
        let grant = grant { $0.challenge = CodeChallenge.s256(of: Self.verifier) }
        #expect(check { $0.tolerances.assumesS256 = true }.refusal(ofVerifier: Self.verifier, grant) == nil)
        #expect(check().refusal(ofVerifier: Self.verifier, self.grant()) == .verifierUnexpected)
        // Where the parameter was there and empty, no challenge was made.
        let empty = self.grant { $0.challenge = "" }
        #expect(check().refusal(ofVerifier: nil, empty) == nil)
        let lenient = check { $0.tolerances.ignoresNeedlessVerifiers = true }
        #expect(lenient.refusal(ofVerifier: Self.verifier, self.grant()) == nil)
    }

    /// RFC 6749, section 6.
    @Test func refreshAsksForNoMoreThanWasGranted() throws {
        let less = QueryItems("scope=email")
        #expect(try check().narrowed(grant(), to: less).scope == "email")
        for nothing in ["", "scope="] {
            #expect(try check().narrowed(grant(), to: QueryItems(nothing)).scope == "openid email")
        }
        // Of a login that began before the recording nobody knows what was granted.
        let foreign = grant { $0.isForeign = true }
        #expect(try check().narrowed(foreign, to: QueryItems("scope=profile")).scope == "openid email")
        #expect(throws: Refusal.scopeTooWide) {
            try check().narrowed(grant(), to: QueryItems("scope=email+profile"))
        }
    }

    /// RFC 8707, section 2.2.
    @Test func tokenIsForOneOfTheResourcesOfTheLogin() throws {
        let first = "https://api.example/first"
        let second = "https://api.example/second"
        let grant = grant {
            $0.resource = first
            $0.resources = [first, second]
        }
        let strict = check { $0.strictness.checksResources = true }
        #expect(try strict.limited(grant, to: nil).resource == first)
        #expect(try strict.limited(grant, to: "").resource == first)
        #expect(try strict.limited(grant, to: second).resource == second)
        #expect(throws: Refusal.resourceNotGranted) {
            try strict.limited(grant, to: "https://api.example/third")
        }
        #expect(throws: Refusal.resourceMalformed) { try strict.limited(grant, to: "third") }
        // What a recorded provider makes of others nobody saw.
        #expect(try check().limited(grant, to: "third").resource == first)
        #expect(try check().limited(self.grant(), to: "third").resource == "third")
    }
}
