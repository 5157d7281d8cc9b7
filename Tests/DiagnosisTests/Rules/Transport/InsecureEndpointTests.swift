import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

struct InsecureEndpointTests {
    private let rule = "insecure-endpoint"
    private let broken = "transport/insecure-endpoint"

    @Test func tellsTheEndpoint() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.evidence.map(\.value) == ["http://id.harbour.example/token"])
        #expect(finding.notes == ["token request"])
        #expect(recording.outcomes == [.success])
    }

    /// A redirect to the app is the answer to the request, which went in clear; one to the same place over https sends it there.
    @Test(arguments: [
        ("https://www.shop.example/callback?error=login_required&state=cea2wk7F4hUKXnjr", true),
        ("https://www.shop.example/callback?code=qLBP4IPFd_lEThPY1&state=cea2wk7F4hUKXnjr", true),
        ("https://id.harbour.example/callback?code=qLBP4IPFd_lEThPY1&state=cea2wk7F4hUKXnjr", true),
        ("https://id.harbour.example/callback#error=login_required&state=cea2wk7F4hUKXnjr", true),
        ("https://id.harbour.example/authorize?client_id=shop-web", false),
        ("https://login.harbour.example/authorize?client_id=shop-web", false),
    ])
    func tellsAnUpgradeFromAnAnswer(location: String, fires: Bool) {
        var capture = CaptureBuilder()
        capture.get(
            "http://id.harbour.example/authorize?response_type=code&client_id=shop-web&state=cea2wk7F4hUKXnjr"
                + "&redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcallback",
            302,
            answer: [("Location", location)]
        )
        #expect((Recording(capture.exchanges).finding(rule) != nil) == fires)
    }

    /// A proxy in front that ended https may have said so.
    @Test func leavesARequestAloneOfWhichFieldsAreNotKnown() throws {
        let recording = try Recording(broken).editing { $0.unknownFields.request = 1 }
        #expect(recording.finding(rule) == nil)
        let told = recording.editing { $0.request.headers.append("x-forwarded-proto", "http") }
        #expect(told.finding(rule) != nil)
    }

    /// Keycloak takes requests over http from its own machine alone, and behind a proxy that ends TLS a provider has to be told of it.
    @Test(
        arguments: [
            ("http", "HTTPS required", true), ("https", "HTTPS required", true),
            ("https", "This server only accepts HTTPS requests.", true),
            ("http", "Realm does not exist", false),
        ]
    )
    func leavesARefusedDocumentToItsOwnRule(scheme: String, words: String, isKnown: Bool) throws {
        var capture = CaptureBuilder()
        capture.get(
            "\(scheme)://id.harbour.example:8080/realms/shop/.well-known/openid-configuration",
            403,
            body: .json(#"{"error":"invalid_request","error_description":"\#(words)"}"#)
        )
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("discovery-unreachable"))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.explanation.contains("plain http") == isKnown)
        #expect(finding.fix.contains("X-Forwarded-Proto") == isKnown)
    }

    /// What was sent in clear is a risk; the provider's refusal is what ended the login.
    @Test(arguments: [("http", true), ("https", false)])
    func warnsBesideALoginThatIsRefusedForIt(scheme: String, isInClear: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").withEndpoints {
            "\(scheme)://id.harbour.example/\($0)"
        }
        .without { $0.request.url.host == "id.harbour.example" && $0.request.url.path != "/authorize" }
        .without { $0.request.url.path == "/callback" }
        .saying("<p>HTTPS required</p>", status: 403)
        let refusal = try #require(recording.finding("authorization-error"))
        #expect(refusal.isPrimary && refusal.fix.contains("X-Forwarded-Proto"))
        #expect(recording.finding(rule)?.severity == (isInClear ? .warning : nil))
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAnUpgradeAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func anUpgradeComesTooLateForASecret() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.scheme == "http" else { return }
            exchange.request.headers.append("Authorization", "Basic eDp5")
        }
        #expect(recording.finding(rule) != nil)
    }

    /// The capture is from behind the proxy.
    @Test(arguments: [("https", false), ("http", true)])
    func exemptsWhatAProxyTookByHTTPS(scheme: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.headers.append("X-Forwarded-Proto", scheme)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [
        ("localhost:8080", false), ("127.0.0.1:8080", false), ("[::1]:8080", false),
        ("id.localhost", false), ("192.168.1.4", true), ("keycloak:8080", true),
    ])
    func exemptsTheMachineItself(host: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.scheme == "http" else { return }
            exchange.request.url = RecordedURL("http://\(host)/token")
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Of a provider whose issuer is https.
    @Test(
        arguments: [
            ("/jwks", "keys.harbour.example:8080", "the keys that signatures are checked with"),
            ("/.well-known/openid-configuration", "id.harbour.example", "metadata"),
            ("/jwks", "keycloak:8080", nil),
            ("/.well-known/openid-configuration", "10.0.3.7", nil),
            ("/jwks", "localhost:8080", nil), ("/jwks", "keycloak.internal.", nil),
            ("/jwks", "[fd12:3456::7]:8080", nil), ("/jwks", "[fe80::7%25eth0]:8080", nil),
            ("/jwks", "[::ffff:10.0.3.7]", nil), ("/jwks", "[::]:8080", nil),
            ("/jwks", "[::ffff:203.0.113.7]", "the keys that signatures are checked with"),
            ("/jwks", "[2001:db8::7]", "the keys that signatures are checked with"),
            ("/.well-known/openid-configuration", "localhost:8080", nil),
        ] as [(String, String, String?)]
    )
    func tellsKeysAndMetadata(path: String, host: String, note: String?) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == path else { return }
            exchange.request.url = RecordedURL("http://\(host)\(path)")
        }
        let finding = recording.finding(rule)
        #expect(finding?.notes == note.map { [$0] })
        #expect(finding.map { $0.severity == .warning } ?? true)
    }

    /// The metadata's own rule tells that the provider publishes its keys there.
    @Test func leavesKeysWhoseAddressTheMetadataName() throws {
        let recording = try Recording("healthy/web-code-flow").withEndpoints { name in
            "\(name == "jwks" ? "http" : "https")://id.harbour.example/\(name)"
        }
        #expect(recording.finding("discovery-endpoint-insecure")?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAProviderAloneThatIsHTTPByItsName() throws {
        let recording = try Recording("discovery/discovery-endpoint-insecure.near-miss")
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [
        ("/revoke", "token=a-refresh-token-8675309&token_type_hint=refresh_token", "revocation request"),
        ("/introspect", "token=an-access-token-8675309", "introspection request"),
        ("/device_authorization", "client_id=shop-tv&scope=openid", "device authorization request"),
    ])
    func tellsCallsWithTokensAndCodes(path: String, form: String, note: String) throws {
        var recording = try Recording("healthy/web-code-flow")
        var call = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        call.startedAt = call.startedAt + .seconds(60)
        call.request.url = RecordedURL("http://id.harbour.example\(path)")
        call.request.body = Body(text: form, mediaType: FormBody.mediaType)
        call.response?.body = .json(
            path == "/introspect"
                ? #"{"active":true}"#
                : #"{"device_code":"a-device-code-1","user_code":"WDJB-MJHT","verification_uri":"https://id.harbour.example/device","expires_in":600}"#
        )
        recording.exchanges.append(call)
        #expect(recording.findings.filter { $0.rule == rule }.flatMap(\.notes) == [note])
    }

    @Test(arguments: [("id.harbour.example", true), ("localhost", false)])
    func tellsOfAPasswordInClear(host: String, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if fires, exchange.request.url.path == "/sign-in" {
                exchange.request.url = RecordedURL("http://\(host)/sign-in")
            } else if !fires {
                exchange.request.url = RecordedURL(
                    exchange.request.url.text.replacing("https://id.harbour.example", with: "http://\(host)")
                )
                if let location = exchange.response?.location {
                    exchange.response?.redirect(
                        to: location.replacing("https://id.harbour.example", with: "http://\(host)")
                    )
                }
            }
        }
        let finding = recording.finding(rule)
        #expect(finding?.notes == (fires ? ["sign-in form with a secret"] : nil))
    }
}
