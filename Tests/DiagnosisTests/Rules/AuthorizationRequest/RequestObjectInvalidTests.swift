import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct RequestObjectInvalidTests {
    private let rule = "request-object-invalid"
    private let broken = "authorization-request/request-object-invalid"

    @Test func namesTheAudienceAndTheIssuer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.variant == "audience")
        #expect(
            finding.places == ["2 jwt.claims aud", "0 response.body issuer", "3 request.query error"]
        )
        #expect(
            finding.evidence.map(\.value).prefix(2) == [
                "https://id.harbour.example/authorize", "https://id.harbour.example",
            ]
        )
    }

    @Test func leavesAProperOneAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(
        arguments: [
            ("exp", 1_700_000_000, "expired"), ("nbf", 1_900_000_000, "not-yet-valid"),
            ("iss", "shop-app", "issuer"),
            ("client_id", "shop-app", "client"), ("aud", "https://id.lighthouse.example", "audience"),
        ] as [(String, JSONValue, String)]
    )
    func knowsTheFaults(claim: String, value: JSONValue, variant: String) throws {
        let finding = try Recording(broken + ".near-miss").claiming(claim, value).finding(rule)
        #expect(finding?.variant == variant)
        #expect(finding?.severity == .warning)
    }

    /// The second is the 1st of January of the year 1, as .NET has it.
    @Test(arguments: [(1_700_000_000, "2023-11-14T22:13:20.000000Z"), (-62_135_596_800, nil)])
    func saysATimeOfNoCalendarAsTheNumberThatItIs(end: Int64, note: String?) throws {
        let finding = try Recording(broken + ".near-miss").claiming("exp", .number(JSONNumber(end))).finding(
            rule
        )
        let evidence = try #require(finding?.evidence.first)
        #expect(evidence.value == "\(end)" && evidence.note == note)
    }

    @Test func leavesAClaimThatIsMissingAlone() throws {
        #expect(try Recording(broken + ".near-miss").claiming("aud", nil).finding(rule) == nil)
    }

    @Test func readsTheAlgorithmsOfTheMetadata() throws {
        let recording = try Recording(broken + ".near-miss").editingRequestObject { object in
            encoded("{\"alg\":\"none\"}") + "." + (object.split(separator: ".").dropFirst().first ?? "") + "."
        }
        #expect(recording.finding(rule) == nil)
        let listing = recording.stating(
            "request_object_signing_alg_values_supported",
            ["RS256"],
            at: "/.well-known/openid-configuration"
        )
        #expect(listing.finding(rule)?.variant == "algorithm")
    }

    @Test func tellsWhatIsNoToken() throws {
        #expect(try Recording(broken).asking("request", "not-a-token").finding(rule)?.variant == "malformed")
    }

    @Test func readsTheNameOnAPage() throws {
        let page = "<h1>Bad request</h1><p>invalid_request_object</p>"
        let finding = try Recording(broken + ".near-miss").saying(page).finding(rule)
        #expect(finding?.isPrimary == true)
        #expect(finding?.severity == .error)
        #expect(try Recording("healthy/web-code-flow").saying(page).finding(rule) == nil)
    }

    @Test func judgesAnEncryptedOneByTheAnswerAlone() throws {
        let encrypted = encoded("{\"alg\":\"dir\",\"enc\":\"A256GCM\"}") + "..YWJj.YWJj.YWJj"
        #expect(try Recording(broken + ".near-miss").asking("request", encrypted).finding(rule) == nil)
        #expect(try Recording(broken + ".near-miss").asking("request", "a.b.c.d.e").finding(rule) == nil)
        let finding = try Recording(broken).asking("request", encrypted).finding(rule)
        #expect(finding?.severity == .error)
        #expect(finding?.variant == nil)
    }

    @Test func readsAPushedOne() throws {
        let object = try #require(
            Recording(broken).exchanges.compactMap { $0.request.url.queryItems.first("request") }.first
        )
        let recording = try Recording("authorization-request/par-rejected").sending(
            "request",
            object,
            to: "/par"
        )
        .answering("/par", 400, ["error": "invalid_request_object"])
        #expect(recording.finding(rule) != nil)
        #expect(recording.findings.first { $0.rule == "par-rejected" }?.effectOf == rule)
    }

    /// RFC 9101, section 7; what was pushed has no address.
    @Test(arguments: [
        ("invalid_request_uri", "https://app.harbour.example/request.jwt", true),
        ("request_uri_not_supported", "https://app.harbour.example/request.jwt", true),
        ("invalid_request_uri", "urn:ietf:params:oauth:request_uri:6esc", false),
        ("invalid_scope", "https://app.harbour.example/request.jwt", false),
    ])
    func tellsAnAddressThatIsNotTaken(error: String, address: String, fires: Bool) throws {
        let recording = try Recording("authorization-response/access-denied-by-policy").redirecting(with: [
            ("error", error), ("error_description", "x"),
        ]).asking("request_uri", address)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    /// Providers may name what was pushed by an address of their own (RFC 9126, section 2.2).
    @Test func leavesThePushedRequestAloneThatHasAnAddress() throws {
        let address = "https://id.harbour.example/requests/6esc"
        let expired = try Recording("authorization-request/par-request-uri-expired")
            .editingAnswer(of: "/par") { $0["request_uri"] = .string(address) }
            .asking("request_uri", address)
            .redirecting(to: "https://www.shop.example/callback?error=invalid_request_uri")
        #expect(expired.finding("par-request-uri-expired")?.isPrimary == true)
        #expect(expired.finding(rule) == nil)
    }

    /// The FAPI profile wants a beginning, not long ago, and an end, not long after that.
    @Test(
        arguments: [
            (nil, nil, "nbf claim is missing", "no-start"),
            (nil, nil, "The request object is not valid", nil),
            (1_773_130_000, nil, "nbf is too old", "old"),
            (1_773_130_000, nil, "The signature is not one of a registered key", nil),
            (1_773_133_000, 1_773_137_000, "exp is too late", "long"),
            (1_773_133_000, nil, "The request object is not valid", nil),
        ] as [(Int64?, Int64?, String, String?)]
    )
    func knowsTheSpanThatTheProfileAllows(start: Int64?, end: Int64?, words: String, variant: String?) throws
    {
        var recording = try Recording(broken + ".near-miss")
        if let start { recording = recording.claiming("nbf", .number(JSONNumber(start))) }
        if let end { recording = recording.claiming("exp", .number(JSONNumber(end))) }
        #expect(recording.finding(rule) == nil)
        let refused = recording.redirecting(
            to: Recording.changing(
                "https://www.shop.example/callback?error=invalid_request_object",
                "error_description",
                words
            )
        )
        let finding = try #require(refused.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == variant)
        #expect(finding.explanation.contains("FAPI") == (variant != nil))
    }
}
