import Captures
import Flows
import JSON
import TestSupport
import Testing

@testable import Reports

/// What the viewer masks, wherever it stands.
struct ViewerSecretsTests {
    private static let code = "q7Zr2LkX9vTb4WmNc1Ys"
    private static let verifier = "KXNaIOzzTq4mVb81rLs0Ye2WcHd6Gf3JnPu5AxMiRoE"

    private static func viewed(_ build: (inout CaptureBuilder) -> Void) -> ViewerCapture {
        var builder = CaptureBuilder()
        build(&builder)
        return ViewerCapture(ReportBuilder.report(on: builder.capture, named: "secrets"))
    }

    private static func json(_ text: String) -> Body {
        Body(content: .bytes(Array(text.utf8)), mediaType: "application/json")
    }

    /// Names of the values of an exchange by whether they are secret.
    private static func names(_ capture: ViewerCapture, _ exchange: Int, secret: Bool) -> [String] {
        (capture.message(exchange)?["values"]?.array ?? []).filter { ($0["secret"] == true) == secret }
            .compactMap { $0["name"]?.string }
    }

    @Test func valueThatIsSecretSomewhereIsSoEverywhere() {
        let capture = Self.viewed {
            $0.get("https://app.example/cb?code=\(Self.code)&state=q7Zr2LkX9vTb4WmNc1Yt", body: nil)
            $0.get(
                "https://app.example/api",
                body: Self.json("{\"foo\":\"\(Self.code)\",\"open\":\"plain words\"}")
            )
            $0.get(
                "https://app.example/other",
                body: Self.json(
                    "{\"wrapped\":\"eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.\",\"address\":\"https://x.example/?a=\(Self.code)\"}"
                )
            )
        }
        #expect(
            Self.names(capture, 1, secret: true) == ["foo"]
                && Self.names(capture, 1, secret: false) == ["open"]
        )
        #expect(Set(Self.names(capture, 2, secret: true)).isSuperset(of: ["wrapped", "address"]))
        let secrets = capture.secrets
        #expect(secrets.shortened("the code \(Self.code), again") == "the code q7Zr…(20), again")
        #expect(secrets.shortened("nothing in it") == "nothing in it")
        #expect(secrets.holds("a%71?x=\(Self.code)") && !secrets.holds("plain words"))
        #expect(
            !secrets.isOpen("{\"id\":\"\(Self.code)\"}") && secrets.isOpen("{\"error\":\"invalid_grant\"}")
        )
        let marked = Self.viewed { $0.get("https://app.example/cb?code=q7_Zr2*LkX9v&state=s") }.secrets
        #expect(marked.holds(#"the code q7\_Zr2\*LkX9v"#) && !marked.holds(#"the code q7\_Zr2\*LkX9w"#))
        for text in ["mail me@x.example", "<input type=password value=x>", "Zm9vYmFyYmF6cXV4MTIzNDU2"] {
            #expect(!secrets.isOpen(text), "\(text)")
        }
    }

    @Test(arguments: [
        ("S256", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", true), ("plain", verifier, false),
        ("S256", verifier, false),
    ])
    func challengeIsOpenWhereItShowsNothingOfItsVerifier(
        _ method: String,
        _ challenge: String,
        _ isOpen: Bool
    ) {
        let capture = Self.viewed {
            $0.redirect(
                "https://idp.example/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=q7Zr2LkX9vTb4WmNc1Yt&code_challenge=\(challenge)&code_challenge_method=\(method)",
                to: "https://app.example/cb?code=\(Self.code)&state=q7Zr2LkX9vTb4WmNc1Yt"
            )
            $0.post(
                "https://idp.example/token",
                [
                    ("grant_type", "authorization_code"), ("code", Self.code), ("client_id", "app"),
                    ("code_verifier", Self.verifier),
                ]
            )
        }
        #expect(Self.names(capture, 0, secret: false).contains("code_challenge") == isOpen)
    }

    @Test func headersAreOpenByNameAndListsShowNoUserInformation() throws {
        let capture = ViewerCapture(
            ReportBuilder.report(
                on: Capture([
                    Exchange(
                        startedAt: Timestamp(nanoseconds: 0),
                        request: RecordedRequest(
                            method: "GET",
                            url: RecordedURL("https://user:pass@app.example:8443/x"),
                            headers: HeaderFields([
                                ("Accept", "*/*"), ("X-Api-Key", "k"), ("Sec-Fetch-Site", "none"),
                            ])
                        )
                    )
                ]),
                named: "headers"
            )
        )
        let headers = try #require(capture.message(0)?["request"]?["headers"]?.array)
        #expect(headers.map { $0["open"] } == [true, false, true])
        #expect(capture.exchanges[0]["host"]?.string == "app.example:8443")
    }

    @Test func comparisonMarksWhatIsSecret() throws {
        let file = "captures/authorization-request/redirect-uri-not-registered.har"
        let capture = ViewerCapture(
            ReportBuilder.report(
                on: try CaptureReader.read(bytes: Fixtures.bytes(file), name: file),
                named: file
            )
        )
        let ids = capture.report.flows.map(\.flow.id)
        try #require(ids.count == 2)
        let choice = ViewerComparison.Choice(
            expected: .init(capture: 0, flow: ids[0]),
            seen: .init(capture: 0, flow: ids[1])
        )
        let document = try #require(ViewerComparison.document(of: choice, in: [capture]))
        let differences = (document["steps"]?.array ?? []).flatMap { $0["differences"]?.array ?? [] }
        #expect(!differences.isEmpty)
        for item in differences where item["secret"] == nil {
            for value in [item["expected"]?.string, item["seen"]?.string].compactMap(\.self) {
                #expect(!capture.secrets.holds(value), "\(item)")
            }
        }
    }

    /// What notes say of nonces: where they differ, and what they are.
    private static let nonces = ["AZQ4IfeGQlqV", "py-cKKt3fXoa"]

    private static func viewed(_ name: String) throws -> ViewerCapture {
        let file = "captures/\(name).har"
        return ViewerCapture(
            ReportBuilder.report(
                on: try CaptureReader.read(bytes: Fixtures.bytes(file), name: file),
                named: file
            )
        )
    }

    @Test func noteOnASecretQuotesNothingOfIt() throws {
        let flow = try #require(try Self.viewed("id-token/id-token-nonce-mismatch").flow("flow-1"))
        let findings: [JSONValue] = flow["findings"]?.array ?? []
        let evidences: [JSONValue] = findings.first?["evidence"]?.array ?? []
        let evidence = try #require(evidences.first { $0["note"] != nil })
        #expect(evidence["secret"] == true && evidence["note"] == "differs from character 1 on")
        #expect(
            evidence["fullNote"]?.string
                == "differs from character 1 on: \"py-cKKt3fXoa…\" instead of \"AZQ4IfeGQlqV…\""
        )
        let open = try #require(flow["openMarkdown"]?.string)
        #expect(open.contains("differs from character 1 on"))
        for nonce in Self.nonces { #expect(!open.contains(nonce)) }
        #expect(flow["markdown"]?.string?.contains(Self.nonces[0]) == true)
    }

    @Test func comparisonsNoteOnASecretQuotesNothingOfIt() throws {
        let captures = try ["id-token-nonce-mismatch.near-miss", "id-token-nonce-mismatch"].map {
            try Self.viewed("id-token/\($0)")
        }
        let choice = ViewerComparison.Choice(
            expected: .init(capture: 0, flow: captures[0].report.flows[0].flow.id),
            seen: .init(capture: 1, flow: captures[1].report.flows[0].flow.id)
        )
        let document = try #require(ViewerComparison.document(of: choice, in: captures))
        let steps: [JSONValue] = document["steps"]?.array ?? []
        let differences: [JSONValue] = steps.flatMap { $0["differences"]?.array ?? [] }
        let whole: [String] = differences.compactMap { $0["fullNote"]?.string }
        #expect(whole.contains { $0.contains("instead of") })
        let told: [String] =
            differences.compactMap { $0["note"]?.string } + [document["headline"]?.string ?? ""]
        for text in told { for nonce in Self.nonces { #expect(!text.contains(nonce), "\(text)") } }
    }

    @Test(arguments: [
        (#"differs from character 4 on: "wrong" instead of "QK4p…""#, "differs from character 4 on"),
        (
            #"path: differs from character 2 on: "a"b" instead of "c"; query differs"#,
            "path: differs from character 2 on; query differs"
        ),
        (#"a "/" too many at the end"#, #"a "/" too many at the end"#),
        (
            #"form-decoded once too often: "+" became a space"#,
            #"form-decoded once too often: "+" became a space"#
        ),
        (#"in the header, with 1 "+" and 12 "%""#, #"in the header, with 1 "+" and 12 "%""#),
        (#"begins with "+" and 1 "%s3cret""#, #"begins with "…""#),
        (#"begins with "abc" and "d""#, #"begins with "…""#), ("empty", "empty"), ("\"", "\""),
    ])
    func quotationsAreLeftOut(_ note: String, _ open: String) {
        #expect(ViewerSecrets.withoutQuotations(note) == open)
    }

    @Test func messageIsBounded() throws {
        let many = (0..<3000).map { "\"member\($0)\":\"value\"" }.joined(separator: ",")
        let long = String(repeating: "x", count: 100_000)
        let capture = Self.viewed {
            $0.get("https://app.example/many", body: Self.json("{\(many)}"))
            $0.get("https://app.example/long", body: Self.json("{\"a\":\"\(long)\"}"))
        }
        let message = try #require(capture.message(0))
        #expect(message["values"]?.array?.count == 500 && message["more"]?.int == 2500)
        #expect((capture.message(1)?["values"]?.array?.last?["value"]?.string?.count ?? 0) < 70_000)
    }
}
