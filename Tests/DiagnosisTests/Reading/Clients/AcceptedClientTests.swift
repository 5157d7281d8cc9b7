import Captures
import Diagnosis
import DiagnosisTestSupport
import JSON
import OAuth
import TestSupport
import Testing

struct AcceptedClientTests {
    private let rule = "token-invalid-client"

    /// A client that registered itself is often gone after its provider's restart.
    @Test(arguments: [true, false]) func tellsThatTheSameClientWasLetInBefore(isSame: Bool) throws {
        let recording = try Recording("refresh/refresh-token-expired").editingLast("/token") { exchange in
            exchange.response?.status = 401
            exchange.response?.body = Body(
                text: #"{"error":"invalid_client"}"#,
                mediaType: "application/json"
            )
            guard !isSame, let sent = exchange.request.body?.text else { return }
            exchange.request.body = Body(
                text: sent.replacing("not-a-secret-of-anyone", with: "not-a-secret-either"),
                mediaType: FormBody.mediaType
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("let this client in before") == isSame)
        #expect((finding.places[0] == "4 response.status ") == isSame)
        #expect(finding.fix.contains("register anew") == isSame)
    }

    /// Of a 401 that names no error nobody knows what it refuses.
    @Test func aStatusAloneDoesNotEndARegistration() throws {
        let recording = try Recording("refresh/refresh-token-expired").answering("/token", 401)
        let finding = try #require(recording.finding(rule))
        #expect(!finding.title.contains("let this client in before"))
        #expect(!finding.fix.contains("register anew"))
    }

    /// A client without a secret is known by its client_id, unless the address says that it shows a certificate.
    @Test(arguments: [("id", true), ("mtls.id", false)])
    func aPublicClientMayHaveBeenLetInBefore(host: String, isKnown: Bool) throws {
        let recording = try Recording("refresh/refresh-token-expired").editing { exchange in
            guard exchange.request.url.path == "/token", let sent = exchange.request.body?.text else {
                return
            }
            exchange.request.url = RecordedURL("https://\(host).harbour.example/token")
            exchange.request.body = Body(
                text: sent.replacing("&client_secret=not-a-secret-of-anyone", with: ""),
                mediaType: FormBody.mediaType
            )
        }.answering("/token", 401, ["error": "invalid_client"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("let this client in before") == isKnown)
        #expect((finding.notes[0] == "the same client, by its client_id") == isKnown)
    }

    /// An assertion is another one each time, a certificate does not show, and another endpoint may know the client by other ways.
    @Test(arguments: ["assertion", "certificate", "endpoint"])
    func credentialsThatMayBeOthersTellNothing(what: String) throws {
        var isFirst = true
        var recording = try Recording("refresh/refresh-token-expired").editing { exchange in
            guard exchange.request.url.path == "/token", let sent = exchange.request.body?.text else {
                return
            }
            if what == "endpoint", isFirst {
                exchange.request.url = RecordedURL("https://id.harbour.example/oauth/token")
            }
            isFirst = false
            let form =
                switch what {
                case "assertion":
                    sent + "&client_assertion=a.b.c&client_assertion_type=\(ClientAssertion.type)"
                case "certificate": sent.replacing("&client_secret=not-a-secret-of-anyone", with: "")
                default: sent
                }
            exchange.request.body = Body(text: form, mediaType: FormBody.mediaType)
        }.answering("/token", 401, ["error": "invalid_client"])
        if what == "certificate" {
            var registration = CaptureBuilder()
            registration.post(
                "https://id.harbour.example/register",
                json: #"{"redirect_uris":["https://www.shop.example/callback"]}"#,
                201,
                body: .json(#"{"client_id":"shop-web","token_endpoint_auth_method":"tls_client_auth"}"#)
            )
            recording.exchanges += registration.exchanges
        }
        let finding = try #require(recording.finding(rule))
        #expect(!finding.title.contains("let this client in before"))
    }
}
