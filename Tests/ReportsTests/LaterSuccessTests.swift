import Captures
import JSON
import Reports
import TestSupport
import Testing

/// A login that failed, and a later one of the same client that went well.
struct LaterSuccessTests {
    /// What is told of each flow of a capture.
    private static func told(of capture: Capture) -> [LaterSuccess?] {
        ReportBuilder.report(on: capture, named: "day.har", looksAhead: true).flows.map(\.later)
    }

    private static func capture(of logins: [Bool]) -> Capture {
        var builder = CaptureBuilder()
        for (number, isGood) in logins.enumerated() { builder.login(number, isGood: isGood) }
        return builder.capture
    }

    /// Each login has three entries, and the last is the answer with its tokens.
    @Test func eachFailedTryNamesTheNextThatWentWell() {
        let told = Self.told(of: Self.capture(of: [false, true, true, false, false, true, false]))
        #expect(told.map { $0?.flow } == ["flow-2", nil, nil, "flow-6", "flow-6", nil, nil])
        #expect(told.map { $0?.exchange } == [5, nil, nil, 17, 17, nil, nil])
        #expect(told[0]?.difference?.hasPrefix("token_request: ") == true)
    }

    /// Of the two that are compared the one that went well is the first, which is flow-2 here.
    @Test func differenceNamesTheFlowThatWentWell() {
        let verifiers = [
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        ]
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        var builder = CaptureBuilder()
        for (number, verifier) in verifiers.enumerated() {
            let back = "https://app.example/cb?code=code-of-login-\(number)&state=state-of-\(number)"
            let query =
                "response_type=code&client_id=shop&state=state-of-\(number)&code_challenge=\(challenge)"
            builder.redirect("https://idp.example/authorize?\(query)&code_challenge_method=S256", to: back)
            builder.get(back)
            builder.post(
                "https://idp.example/token",
                [
                    ("grant_type", "authorization_code"), ("code", "code-of-login-\(number)"),
                    ("code_verifier", verifier),
                ],
                number == 0 ? 400 : 200,
                body: .json(
                    number == 0
                        ? #"{"error":"invalid_grant"}"#
                        : #"{"access_token":"access-1","token_type":"Bearer"}"#
                )
            )
            builder.wait(300)
        }
        let words = "does not fit; in flow-2 it fits by S256"
        let told = Self.told(of: builder.capture)
        #expect(told[0]?.difference == "token_request: code_verifier (against code_challenge): \(words)")
    }

    @Test func anotherClientsLoginIsNoOtherTry() {
        var builder = CaptureBuilder()
        builder.login(0, client: "shop", isGood: false)
        builder.login(1, client: "desk")
        #expect(Self.told(of: builder.capture) == [nil, nil])
    }

    /// The one asks nobody, and of the other somebody else is asked.
    @Test(
        arguments: [
            ("", "Browser/1", "flow-2"), ("&prompt=none", "Browser/1", nil), ("", "Browser/2", nil),
        ] as [(String, String, String?)]
    )
    func silentLoginAndOneOfAnotherDeviceAreNoOtherTry(more: String, browser: String, flow: String?) {
        var builder = CaptureBuilder()
        builder.login(0, isGood: false)
        builder.login(1)
        var exchanges = builder.exchanges
        for (index, agent) in [(0, "Browser/1"), (3, browser)] {
            exchanges[index].request.headers.append("User-Agent", agent)
        }
        exchanges[3].request.url = RecordedURL(exchanges[3].request.url.text + more)
        #expect(Self.told(of: Capture(exchanges))[0]?.flow == flow)
    }

    /// An id that was wrong and is put right is the same app's.
    @Test func otherIDAtTheSameRedirectURIIsCalledThat() throws {
        var builder = CaptureBuilder()
        builder.login(0, client: "shop", isGood: false)
        builder.login(1, client: "shop-2")
        let exchanges = builder.exchanges.map { exchange in
            guard exchange.request.url.path == "/authorize" else { return exchange }
            var named = exchange
            let text = exchange.request.url.text + "&redirect_uri=https://app.example/cb"
            named.request.url = RecordedURL(text)
            return named
        }
        let later = try #require(Self.told(of: Capture(exchanges))[0])
        #expect(later.flow == "flow-2" && later.isOfOtherClient)
        #expect(later.difference?.hasPrefix("authorization_request: client_id: ") == true)
    }

    @Test func whoComesBackMuchLaterIsOnAnotherVisit() {
        var builder = CaptureBuilder()
        builder.login(0, isGood: false)
        builder.wait(3600)
        builder.login(1)
        #expect(Self.told(of: builder.capture) == [nil, nil])
    }

    @Test func everyFormTellsIt() throws {
        let capture = Self.capture(of: [false, true])
        let report = ReportBuilder.report(on: capture, named: "day.har", looksAhead: true)
        let words = "A later login of this client went well: flow-2, at [5]."
        let text = TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain)
        #expect(text.contains(words) && text.contains("\n  authreel diff day.har#flow-2 day.har#flow-1"))
        let markdown = MarkdownReport.text(of: [report])
        #expect(markdown.contains("went well: flow-2, at \\[5\\]."))
        #expect(markdown.contains("`authreel diff day.har#flow-2 day.har#flow-1`"))
        let results = SARIFReport.text(of: [report], rules: [], version: "0.0.0")
        let told = try JSONParser.parse(Array(results.utf8)).object?["runs"]?.array?.first?.object?["results"]
        let properties = told?.array?.compactMap { $0.object?["properties"]?.object } ?? []
        let failed = properties.filter { $0["flow"]?.string == "flow-1" }
        #expect(!failed.isEmpty)
        #expect(failed.allSatisfy { $0["laterSuccess"]?.object?["flow"]?.string == "flow-2" })
        #expect(properties.allSatisfy { $0["flow"]?.string != "flow-2" || $0["laterSuccess"] == nil })
        var pieces = ""
        JSONReport.diagnosis.write(capture, named: "day.har", to: { pieces += $0 })
        #expect(pieces == JSONReport.diagnosis(of: report))
        let flows = try #require(try JSONParser.parse(Array(pieces.utf8)).object?["flows"]?.array)
        #expect(flows.first?.object?["later_success"]?.object?["exchange"] == 5)
        #expect(flows.last?.object?["later_success"] == nil)
    }

    /// What came by standard input is in a file whose name nobody knows.
    @Test(arguments: [("-", "CAPTURE"), ("my day.har", "'my day.har'")])
    func comparisonNamesTheCapture(name: String, capture: String) throws {
        let report = ReportBuilder.report(
            on: Self.capture(of: [false, true]),
            named: name,
            looksAhead: true
        )
        let text = TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain)
        #expect(text.contains("\n  authreel diff \(capture)#flow-2 \(capture)#flow-1"))
    }

    @Test func theSummaryOfManyFlowsNamesIt() {
        let capture = Self.capture(of: [false, true, true, true])
        let report = ReportBuilder.report(on: capture, named: "day.har", looksAhead: true)
        let text = TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain)
        #expect(text.hasSuffix("token-invalid-client · flow-2 went well"))
    }

    /// What is different is for its comparison to tell; of what still goes on nothing is certain.
    @Test func theViewerTellsItOfAFlow() throws {
        let report = ReportBuilder.report(on: Self.capture(of: [false, true]), named: "day.har")
        let viewed = ViewerCapture(report)
        let flow = try #require(viewed.flow("flow-1"))
        #expect(flow["later"]?["flow"]?.string == "flow-2" && flow["later"]?["exchange"]?.int == 5)
        #expect(flow["markdown"]?.string?.contains("went well: flow-2, at \\[5\\]. `authreel diff") == true)
        #expect(viewed.flow("flow-2")?["later"] == .null)
        let open = ViewerCapture(report, unsettled: ["flow-2"])
        #expect(open.flow("flow-1")?["later"] == .null)
    }

    /// A report that nobody reads as a diagnosis does not look for it.
    @Test func itIsNotLookedForUnasked() {
        let report = ReportBuilder.report(on: Self.capture(of: [false, true]), named: "day.har")
        #expect(report.flows.allSatisfy { $0.later == nil })
    }
}
