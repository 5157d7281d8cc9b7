import Captures
import Flows
import Reports
import TestSupport
import Testing

/// Who stands in a diagram, and what comes before what.
struct SequenceDiagramTests {
    private static func diagram(_ path: String) throws -> SequenceDiagram {
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        let report = ReportBuilder.report(on: capture, named: path)
        return SequenceDiagramBuilder.diagram(of: try #require(report.flows.first), in: capture)
    }

    /// `[20] request`, `[20] answer`, `finding`, as they stand.
    private static func order(_ diagram: SequenceDiagram) -> [String] {
        diagram.rows.map { row in
            switch row {
            case .message(let message):
                "\(message.exchange) \(message.form == .request ? "asked" : "answered")"
            case .folded(let exchanges): "\(exchanges.count) folded"
            case .finding(let rule, _, _, _): rule
            }
        }
    }

    /// A note stands there where it says why the login came to nothing, and not where it went well.
    @Test func rootCauseStandsThereAlsoWhereItIsANote() throws {
        let abandoned = Self.order(try Self.diagram("captures/authorization-response/login-abandoned.har"))
        #expect(abandoned.contains("login-abandoned"))
        for name in ["healthy/web-code-flow", "healthy/refresh", "healthy/logout", "healthy/native-app"] {
            let order = Self.order(try Self.diagram("captures/\(name).har"))
            #expect(order.allSatisfy { $0.first?.isNumber == true }, "\(name): \(order)")
        }
    }

    /// Tokens that a provider sends, by the token that the client gave it for that (OpenID Connect CIBA, section 10.3).
    @Test(
        arguments: [
            (
                "cnt-8Kq2", #","access_token":"at-1","id_token":"it-1""#,
                "client notification: access_token, id_token", false
            ),
            ("cnt-8Kq2", "", "client notification", false),
            ("cnt-8Kq2", #","error":"access_denied""#, "client notification: error access_denied", true),
            ("another", #","access_token":"at-1""#, nil, false),
        ] as [(String, String, String?, Bool)]
    )
    func notificationGoesFromTheProviderToItsClient(
        token: String,
        members: String,
        words: String?,
        isFailure: Bool
    ) throws {
        var builder = CaptureBuilder()
        builder.post(
            "https://idp.example/bc-authorize",
            [
                ("client_id", "till"), ("scope", "openid"), ("login_hint", "alice"),
                ("client_notification_token", "cnt-8Kq2"),
            ],
            body: .json(#"{"auth_req_id":"1c266114-a1be-4252-8ad1","expires_in":120}"#)
        )
        builder.post(
            "https://till.example/told",
            json: #"{"auth_req_id":"1c266114-a1be-4252-8ad1"\#(members)}"#,
            204,
            headers: [("Authorization", "Bearer \(token)")]
        )
        let capture = Capture(builder.exchanges)
        let report = ReportBuilder.report(on: capture, named: "ciba.har")
        let diagram = SequenceDiagramBuilder.diagram(of: try #require(report.flows.first), in: capture)
        let told = diagram.rows.compactMap { row in
            if case .message(let message) = row, message.exchange == 1 { message } else { nil }
        }
        guard let words else { return #expect(Self.order(diagram).contains("1 folded") && told.isEmpty) }
        try #require(told.map(\.form) == [.request, .answer])
        #expect(told[0].words == words && told[0].isFailure == isFailure && told[1].words == "204")
        #expect(diagram.lanes[told[0].from].role == .provider && diagram.lanes[told[0].to].role != .provider)
        #expect(told[1].from == told[0].to && told[1].to == told[0].from)
    }

    /// A provider that sends a logout token is the one that was asked.
    @Test func providerIsOneLaneWhoeverAsks() throws {
        let lanes = try Self.diagram("captures/logout-and-device/logout-token-invalid.har").lanes
        #expect(lanes.map(\.role) == [.browser, .backend, .provider])
        #expect(lanes.last?.host == "id.harbour.example")
    }

    /// The backend is one lane whether it asks or answers; what no process is known of is the browser's.
    @Test(
        arguments: [("shop-backend", .backend), ("firefox", .browser), (nil, .browser)]
            as [(String?, Participant.Role)]
    )
    func requestThatNobodyAnswersIsThatOfItsProcess(process: String?, sender: Participant.Role) throws {
        let path = "captures/healthy/web-code-flow.har"
        let login = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        var exchanges = login.indices.map { login[$0] }
        exchanges.insert(
            Exchange(
                startedAt: exchanges[5].startedAt - .milliseconds(20),
                duration: .milliseconds(5),
                request: RecordedRequest(method: "GET", url: RecordedURL("https://id.harbour.example/")),
                failure: "connection reset",
                client: ClientFacts(process: process)
            ),
            at: 5
        )
        let capture = Capture(exchanges)
        let report = ReportBuilder.report(on: capture, named: path)
        let diagram = SequenceDiagramBuilder.diagram(of: try #require(report.flows.first), in: capture)
        let senders = diagram.rows.compactMap { row in
            if case .message(let message) = row, message.exchange == 5, message.form == .request {
                message.from
            } else {
                nil
            }
        }
        #expect(senders.map { diagram.lanes[$0].role } == [sender])
    }

    /// Recorded by clocks that lag behind one another by milliseconds.
    @Test func answersStandWhereTheyCaused() throws {
        let order = Self.order(try Self.diagram("Tests/Recordings/login-http2.har"))
        func place(_ text: String) throws -> Int {
            try #require(order.firstIndex(of: text), "\(text) in \(order)")
        }
        // The redirect before the page that it led to, and the callback's answer behind what the backend asked.
        #expect(try place("2 answered") < place("3 asked"))
        #expect(try place("16 answered") < place("20 asked"))
        #expect(try place("19 answered") < place("20 answered"))
        #expect(try place("20 asked") < place("17 asked"))
        for exchange in [1, 2, 16, 17, 20] {
            #expect(try place("\(exchange) asked") < place("\(exchange) answered"))
        }
    }

    /// Every exchange of a flow is there once, asked and answered or folded, and messages join lanes that there are.
    @Test(arguments: [
        "captures/healthy/web-code-flow.har", "captures/healthy/native-app.har",
        "captures/providers/singpass.har",
        "captures/providers/wso2.har", "Tests/Recordings/login-http2.har",
        "Tests/Recordings/broken-client-secret.har",
        "captures/logout-and-device/device-code-expired.har",
        "captures/transport/tls-client-rejects-recorder.har",
    ])
    func everyExchangeIsDrawnOnce(path: String) throws {
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        for item in ReportBuilder.report(on: capture, named: path).flows {
            let diagram = SequenceDiagramBuilder.diagram(of: item, in: capture)
            var drawn: [Int] = []
            for row in diagram.rows {
                switch row {
                case .message(let message):
                    if message.form == .request { drawn.append(message.exchange) }
                    #expect(
                        diagram.lanes.indices.contains(message.from)
                            && diagram.lanes.indices.contains(message.to)
                    )
                    #expect(message.from != message.to)
                case .folded(let exchanges): drawn += exchanges
                case .finding(_, _, _, let lanes): #expect(lanes.upperBound < max(1, diagram.lanes.count))
                }
            }
            #expect(drawn.sorted() == item.flow.exchanges.sorted())
        }
    }

    @Test func causeStandsBehindWhatShowsIt() throws {
        let order = Self.order(try Self.diagram("captures/token-request/pkce-verifier-mismatch.har"))
        let place = try #require(order.firstIndex(of: "pkce-verifier-mismatch"))
        #expect(order[place - 1] == "4 answered")
    }

    /// In a ticket `com.example.app/oauth2redirect` would be another address.
    @Test(arguments: [
        ("com.example.app://cb", "com.example.app://cb"),
        ("com.example.app:/oauth2redirect", "com.example.app:/oauth2redirect"),
        ("MyApp:/cb", "MyApp:/cb"), ("exp://192.168.1.5:8081/--/cb", "exp://192.168.1.5:8081/--/cb"),
        ("https://app.example/cb", "app.example/cb"), ("http://localhost:3000/cb", "localhost:3000/cb"),
    ])
    func addressOfAnAppHasItsScheme(redirectURI: String, shown: String) {
        var capture = CaptureBuilder()
        let query = "response_type=code&client_id=shop&scope=openid&state=a-state-1234567"
        capture.redirect(
            "https://id.example/authorize?\(query)&redirect_uri=\(redirectURI)",
            to: "\(redirectURI)?code=a-code-1234567&state=a-state-1234567"
        )
        let report = ReportBuilder.report(on: capture.capture, named: "login.har")
        let text = MermaidDiagram.text(of: report)
        #expect(text.contains("302 to \(shown): code, state"), "\(text)")
    }
}
