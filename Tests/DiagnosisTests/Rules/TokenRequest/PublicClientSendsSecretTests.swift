import Captures
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

@testable import Diagnosis

struct PublicClientSendsSecretTests {
    private let rule = "public-client-sends-secret"
    private let broken = "token-request/public-client-sends-secret"

    private func agent(_ name: String, in recording: Recording) -> Recording {
        recording.editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.headers.replace("User-Agent", with: name)
        }
    }

    @Test func namesSecretAndSender() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["2 request.body client_secret", "2 request.header User-Agent"])
        #expect(finding.evidence[0].note == "client_secret_post")
    }

    @Test func leavesASecretOfThisInstallationAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        "node", "Java-http-client/21.0.5", "python-requests/2.32",
        "Microsoft ASP.NET Core OpenIdConnect handler",
    ])
    func leavesServersAlone(name: String) throws {
        let recording = try agent(name, in: Recording(broken)).editing { exchange in
            // As undici does.
            exchange.request.headers.append("Sec-Fetch-Mode", "cors")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: ["okhttp/4.12.0", "Dalvik/2.1.0 (Linux; U; Android 15; Pixel 9)"]) func knowsAndroid(
        name: String
    ) throws {
        #expect(try agent(name, in: Recording(broken)).finding(rule) != nil)
    }

    @Test func knowsAPage() throws {
        let name = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
        let page = try agent(name, in: Recording("token-request/client-secret-mismatch.near-miss"))
            .without { $0.request.url.path == "/register" }
        #expect(page.finding(rule) == nil)
        let finding = page.editing { exchange in
            if exchange.request.url.path == "/token" {
                exchange.request.headers.append("Origin", "https://www.shop.example")
            }
        }.finding(rule)
        #expect(finding?.evidence[0].note == "client_secret_basic")
        #expect(finding?.evidence[1].value == "https://www.shop.example")
    }

    @Test func leavesAnAppWithAWebRedirectAlone() throws {
        let recording = try agent("okhttp/4.12.0", in: Recording("healthy/web-code-flow"))
        #expect(recording.finding(rule) == nil)
    }

    /// The app hands the code to its server, which redeems it with a library that apps use too, while the app waits or after.
    @Test(arguments: [(true, "okhttp/4.12.0"), (true, "Dart/3.5 (dart:io)"), (false, "okhttp/4.12.0")])
    func leavesABackEndAloneThatTheAppWaitsFor(isWaiting: Bool, name: String) throws {
        var recording = try agent(name, in: Recording(broken))
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        let redeemed = recording.exchanges[index]
        let code = try #require(
            FormBody.items(of: redeemed.request.body)?.items.first { $0.name == "code" }?.value
        )
        var relay = redeemed
        relay.request.url = RecordedURL("https://api.shop.example/login/finish")
        relay.request.headers.replace("User-Agent", with: "Shop/4.2 CFNetwork/1568 Darwin/24.1")
        relay.request.body = .json(#"{"code":"\#(code)"}"#)
        relay.response?.body = .json(#"{"session":"s"}"#)
        relay.startedAt = redeemed.startedAt - .milliseconds(10)
        relay.duration = .milliseconds(isWaiting ? 500 : 5)
        recording.exchanges.insert(relay, at: index)
        #expect((recording.finding(rule) == nil) == isWaiting)
    }

    @Test func isAnErrorWhereTheProviderKnowsThePublicClient() throws {
        let finding = try Recording(broken).answering(
            "/token",
            401,
            [
                "error": "invalid_client",
                "error_description":
                    "AADSTS700025: Client is public so neither 'client_assertion' nor 'client_secret' should be presented.",
            ]
        ).finding(rule)
        #expect(finding?.severity == .error)
        #expect(finding?.isPrimary == true)
    }

    /// The refresh that was refused for it tells more than the login that went well with it.
    @Test func refusedCallComesBeforeOneThatWasTaken() throws {
        let renewed = try Recording(broken).refreshing(to: "another-token-0123456789")
        #expect(renewed.finding(rule)?.severity == .warning)
        #expect(renewed.finding(rule)?.places.first == "2 request.body client_secret")
        let refused = renewed.answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": "AADSTS700025: Client is public so neither"]
        )
        let finding = try #require(refused.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(
            finding.places == [
                "4 request.body client_secret", "4 request.header User-Agent", "4 response.body error",
            ]
        )
    }

    @Test func leavesAnEmptySecretAlone() throws {
        #expect(try Recording(broken).sending("client_secret", "").finding(rule) == nil)
    }

    @Test func isANoteForGooglesDesktopClients() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL(
                exchange.request.url.text.replacing(
                    "id.harbour.example/authorize",
                    with: "accounts.google.com/o/oauth2/v2/auth"
                )
                .replacing("id.harbour.example", with: "oauth2.googleapis.com")
            )
        }
        #expect(recording.finding(rule)?.severity == .note)
    }

    /// A server may keep a secret; that the provider has it down as a public client stands with the refusal.
    @Test func leavesAServerAloneThatIsRegisteredAsAPublicClient() throws {
        let recording = try agent("shop-backend/2.1", in: Recording(broken)).answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": "AADSTS700025: Client is public so neither"]
        )
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("token-invalid-client"))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.title.contains("registered as a public one"))
        #expect(finding.places.last == "2 request.body client_secret")
    }

    @Test(arguments: ["AADSTS9002313: Invalid request.", "AADSTS9002327: Tokens issued for"])
    func anotherNumberOfEntrasIsNone(text: String) throws {
        let recording = try agent("shop-backend/2.1", in: Recording(broken)).answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(text)]
        )
        #expect(recording.finding(rule) == nil)
    }

    /// Eight times as many refreshes behind eight times as many reloads take eight times as long, sixty-four times if each refresh
    /// looked at all redirect URIs.
    @Test func redirectURIsAreReadOnce() throws {
        func seconds(_ count: Int) throws -> Double {
            let callback = "https://app.example/cb"
            var capture = CaptureBuilder()
            for _ in 0..<count {
                capture.redirect(
                    "https://id.example/authorize?response_type=code&client_id=shop&redirect_uri=\(callback)&state=s-1",
                    to: "\(callback)?code=code-1&state=s-1"
                )
            }
            for number in 0..<count {
                let grant =
                    number == 0
                    ? [("grant_type", "authorization_code"), ("code", "code-1"), ("redirect_uri", callback)]
                    : [("grant_type", "refresh_token"), ("refresh_token", "refresh-\(number)")]
                capture.post(
                    "https://id.example/token",
                    grant + [("client_id", "shop"), ("client_secret", "secret-of-all")],
                    headers: [("User-Agent", "okhttp/4.12.0")],
                    body: .json(
                        #"{"access_token":"access","token_type":"Bearer","refresh_token":"refresh-\#(number + 1)"}"#
                    )
                )
            }
            let flow = try #require(FlowFinder.flows(in: capture.capture).first)
            // What is read once for all rules.
            _ = PublicClientSendsSecret().verdict(on: flow)
            return ProcessorTime.seconds { _ = PublicClientSendsSecret().verdict(on: flow) }
        }
        let few = try min(seconds(40), seconds(40))
        #expect(try min(seconds(320), seconds(320)) / few < 24)
    }
}
