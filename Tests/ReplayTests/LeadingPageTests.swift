import Captures
import Replay
import TestSupport
import Testing

/// Pages that lead on to another page of the provider, by a refresh, a link or a script: its address is that of this run.
struct LeadingPageTests {
    private static let app = "https://shop.example/cb"
    private static let provider = "https://id.example"

    /// What the pages of one login carry on.
    private struct Login {
        var session: String
        var transaction: String
        var code: String

        static let recorded = Login(
            session: "63c4b97441ba",
            transaction: "7d1f0c9ab3e24866",
            code: "c-Kq2vLx7TzB4nWm8R"
        )
        static let live = Login(
            session: "57d385212d0c",
            transaction: "e09b7715ca4d38f2",
            code: "c-7Hq2vLx7TzB4nWm8"
        )

        func page(_ template: String) -> Body {
            .html(template.replacing("SESSION", with: session).replacing("TRANSACTION", with: transaction))
        }
    }

    private static let refresh =
        #"<meta http-equiv="refresh" content="0; url=/start;jsessionid=SESSION?tx=TRANSACTION">"#

    /// `leading`: the page at the start that leads to the sign-in.
    private static func capture(_ leading: String) -> Capture {
        let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1"), ("Accept", "text/html")]
        let login = Login.recorded
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", "s-Kq2vLx7TzB4nWm8R"),
            ("redirect_uri", app),
        ])
        capture.get(provider + "/authorize?" + query, headers: browser, body: login.page(refresh))
        capture.get(
            provider + "/start;jsessionid=\(login.session)?tx=\(login.transaction)",
            headers: browser,
            body: login.page(leading)
        )
        capture.redirect(
            provider + "/login?lang=en&tx=\(login.transaction)",
            to: app + "?code=\(login.code)&state=s-Kq2vLx7TzB4nWm8R",
            headers: browser
        )
        capture.redeem(login.code, at: provider + "/token", for: app)
        return capture.capture
    }

    private func asked(_ leading: String, first: String = refresh) async throws -> [String] {
        let replay = try await AskedReplay(of: Self.capture(leading)) { request, beginning in
            switch request.url.path.utf8.prefix(6).elementsEqual("/start".utf8) ? "/start" : request.url.path
            {
            case "/authorize": RecordedResponse(status: 200, body: Login.live.page(first))
            case "/start": RecordedResponse(status: 200, body: Login.live.page(leading))
            case "/login":
                AskedReplay.back(to: Self.app, code: Login.live.code, answering: beginning)
            case "/token":
                RecordedResponse(
                    status: 200,
                    body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            default: RecordedResponse(status: 200, body: .html("<h1>Wait</h1>"))
            }
        }
        return replay.asked.map {
            $0.url.path == "/authorize" ? "/authorize" : String($0.url.text.dropFirst(Self.provider.count))
        }
    }

    @Test(arguments: [
        #"<a href="/login?lang=de&amp;tx=TRANSACTION">Deutsch</a><a href="/login?lang=en&amp;tx=TRANSACTION">English</a>"#,
        #"<script>document.location.href = '/login?lang=en&tx=TRANSACTION';</script>"#,
        #"<script>window.location.replace("\/login?lang=en\u0026tx=TRANSACTION")</script>"#,
        #"<meta http-equiv="refresh" content="0;url=/login?lang=en&amp;tx=TRANSACTION">"#,
        #"<iframe src="/login?tx=TRANSACTION&amp;lang=en"></iframe>"#,
    ])
    func addressOfTheNextPageIsOfThisRun(leading: String) async throws {
        let live = Login.live
        #expect(
            try await asked(leading) == [
                "/authorize", "/start;jsessionid=\(live.session)?tx=\(live.transaction)",
                "/login?lang=en&tx=\(live.transaction)", "/token",
            ]
        )
    }

    /// A page that goes on to another place than the recorded browser went is followed, and the recorded way gone all the same.
    @Test func refreshToAnotherPageIsNoneOfTheRecording() async throws {
        let link = #"<a href="/login?lang=en&amp;tx=TRANSACTION">English</a>"#
        let first = #"<meta http-equiv="refresh" content="0; url=/notice?of=TRANSACTION">"#
        let asked = try await asked(link, first: first)
        #expect(asked.prefix(2) == ["/authorize", "/notice?of=\(Login.live.transaction)"])
        #expect(asked.count == 5 && asked[2].hasPrefix("/start;") && asked.last == "/token")
    }
}
