import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct ClientAssertionSubjectTests {
    private let broken = "token-request/client-assertion-subject"

    @Test func namesBothClaimsAndTheClient() throws {
        let finding = try #require(Recording(broken).finding(Self.rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "5 jwt.claims iss", "5 jwt.claims sub", "2 request.query client_id", "5 response.body error",
            ]
        )
        #expect(finding.notes.prefix(2) == ["another one", "the client"])
    }

    @Test func leavesAnIssuerOfItsOwnAloneThatWasTaken() throws {
        #expect(try Recording(broken + ".near-miss").finding(Self.rule) == nil)
    }

    @Test(arguments: ["iss", "sub"]) func wantsBothClaims(name: String) throws {
        let recording = try Recording("token-request/client-assertion-audience").asserting { $0[name] = nil }
        #expect(recording.finding(Self.rule) != nil)
        #expect(try Recording("token-request/client-assertion-audience").finding(Self.rule) == nil)
    }

    /// As idpyoidc signs for a client that it has registered.
    @Test(arguments: [(JSONValue.null, "null"), (nil, "missing")] as [(JSONValue?, String)])
    func saysThatNobodyIsNamed(claim: JSONValue?, value: String) throws {
        let recording = try Recording("token-request/client-assertion-audience").asserting { claims in
            claims["iss"] = claim
            claims["sub"] = claim
        }
        let finding = try #require(recording.finding(Self.rule))
        #expect(finding.title == "The client assertion names no client")
        #expect(finding.evidence.prefix(2).map(\.value) == [value, value])
        #expect(finding.evidence.prefix(2).allSatisfy { $0.note == nil })
    }

    /// Somebody is named by a client_id of digits that was written as a number.
    @Test func numberIsNoStringAndNotMissing() throws {
        let recording = try Recording("token-request/client-assertion-audience").asserting { claims in
            claims["iss"] = 4711
            claims["sub"] = 4711
        }
        let finding = try #require(recording.finding(Self.rule))
        #expect(finding.title != "The client assertion names no client")
        #expect(finding.evidence.prefix(2).map(\.value) == ["4711", "4711"])
        #expect(finding.notes.prefix(2) == ["not a string", "not a string"])
    }

    @Test func comparesWithTheBody() throws {
        let recording = try Recording("token-request/client-assertion-audience").asserting { claims in
            claims["iss"] = "shop-admin"
            claims["sub"] = "shop-admin"
        }
        #expect(recording.finding(Self.rule) != nil)
        #expect(recording.finding("code-wrong-client") == nil)
    }

    /// A `client_id` beside an assertion is the same client's (RFC 7521, section 4.2).
    @Test func tellsABodyThatContradictsTheLoginsClient() throws {
        let recording = try Recording("token-request/client-assertion-audience")
            .sending("client_id", "shop-admin")
        let finding = try #require(recording.finding(Self.rule))
        #expect(finding.places[2] == "5 request.body client_id")
        #expect(finding.notes.prefix(3) == ["another one", "another one", "the client of this request"])
        #expect(recording.finding("code-wrong-client") == nil)
        #expect(recording.sending("client_id", "[REDACTED]").finding(Self.rule) == nil)
    }

    /// Where no request names the client, as with the grant of clients, the assertion alone does (RFC 7521, section 4.2).
    @Test(
        arguments: [
            ("shop-web", "shop-web", false), ("shop-web", nil, true), (nil, "shop-web", true),
            ("shop-web", "shop-admin", true), (nil, nil, true),
        ] as [(String?, String?, Bool)]
    )
    func wantsOneClientWhereNoneIsNamedElsewhere(issuer: String?, subject: String?, fires: Bool) throws {
        let alone = try Recording("token-request/client-assertion-audience").withoutAuthorization
            .sending("grant_type", "client_credentials").asserting { claims in
                claims["iss"] = issuer.map { .string($0) }
                claims["sub"] = subject.map { .string($0) }
            }
        let recording = ["client_id", "code", "code_verifier", "redirect_uri"].reduce(alone) {
            $0.sending($1, nil)
        }
        let finding = recording.finding(Self.rule)
        #expect((finding != nil) == fires)
        let isNobodys = issuer == nil && subject == nil
        #expect((finding?.title == "The client assertion names no client") == isNobodys)
    }

    @Test func leavesAWholeOtherClientToItsOwnRule() throws {
        let recording = try Recording("token-request/client-assertion-audience").asserting { claims in
            claims["iss"] = "shop-admin"
            claims["sub"] = "shop-admin"
        }.sending("client_id", nil)
        #expect(recording.finding(Self.rule) == nil)
        #expect(recording.finding("code-wrong-client") != nil)
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(Self.rule)?.severity == .warning)
    }

    /// An assertion of a platform (workload identity federation) names neither the client nor the provider.
    @Test(arguments: [
        (
            "presented assertion subject 'repo:shop/web:pull_request'. Check your Subject, Audience and Issuer",
            "client-assertion-subject"
        ),
        (
            "presented assertion. Assertion Issuer: 'x'. Assertion Subject: 'y'. Assertion Audience: 'z'.",
            "client-assertion-subject"
        ),
        (
            "presented assertion audience 'api://shop'. Check your Subject, Audience and Issuer",
            "client-assertion-audience"
        ),
    ])
    func tellsWhichClaimAFederatedCredentialLacks(words: String, expected: String) throws {
        let recording = try federated().answering(
            "/token",
            401,
            [
                "error": "invalid_client",
                "error_description": .string(
                    "AADSTS70021: No matching federated identity record found for " + words
                ),
            ]
        )
        let finding = try #require(recording.finding(expected))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider has no federated credential for this assertion")
        #expect(recording.finding(expected == Self.rule ? Self.audienceRule : Self.rule) == nil)
    }

    @Test func leavesAFederatedAssertionAloneThatWasTakenOrHasRunOut() throws {
        let taken = try federated().granted()
        let late = try federated().answering(
            "/token",
            401,
            [
                "error": "invalid_client",
                "error_description": "AADSTS700024: Client assertion is not within its valid time range.",
            ]
        )
        for recording in [taken, late] {
            #expect(recording.finding(Self.rule) == nil)
            #expect(recording.finding(Self.audienceRule) == nil)
        }
    }

    /// Nothing says that the provider knows the platform, so the claims are none of the client's.
    @Test func tellsAFederatedAssertionThatIsRefusedWithoutAWord() throws {
        let recording = try federated().answering("/token", 401, ["error": "invalid_client"])
        #expect(recording.finding(Self.rule)?.isPrimary == true)
    }

    /// A client may be an address itself, and sign by that name.
    @Test(arguments: [("https://app.shop.example", "shop-web"), ("shop-web", "https://app.shop.example")])
    func assertionByTheNameOfAClientIsNoPlatforms(subject: String, client: String) throws {
        let recording = try Recording("token-request/client-assertion-audience.near-miss").asserting {
            $0["iss"] = "https://app.shop.example"
            $0["sub"] = .string(subject)
        }.sending("client_id", client).answering(
            "/token",
            401,
            [
                "error": "invalid_client",
                "error_description":
                    "AADSTS70021: No matching federated identity record found for presented assertion subject 'x'.",
            ]
        )
        #expect(recording.finding(Self.rule)?.title == "The client assertion names another client")
    }

    private static let rule = "client-assertion-subject"
    private static let audienceRule = "client-assertion-audience"

    private func federated() throws -> Recording {
        try Recording("token-request/client-assertion-audience").asserting { claims in
            claims["iss"] = "https://token.actions.githubusercontent.com"
            claims["sub"] = "repo:shop/web:ref:refs/heads/main"
            claims["aud"] = "api://AzureADTokenExchange"
        }
    }
}
