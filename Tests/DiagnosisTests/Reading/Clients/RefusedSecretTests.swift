import Captures
import Diagnosis
import DiagnosisTestSupport
import TestSupport
import Testing

struct RefusedSecretTests {
    private let rule = "token-invalid-client"
    private let broken = "token-request/token-invalid-client"

    /// What programs write for a value that is not there.
    @Test(arguments: [("undefined", true), ("null", true), ("nullable-9a2e", false)])
    func tellsAWordFromASecret(secret: String, isWord: Bool) throws {
        let recording = try Recording("token-request/token-invalid-client").sendingHeader(
            "Authorization",
            "Basic " + Base64.encode("shop-web:\(secret)".utf8),
            to: "/token"
        )
        let finding = try #require(recording.finding("token-invalid-client"))
        #expect((finding.title == "The client sent a word for a missing value as its secret") == isWord)
        #expect((finding.evidence.last?.value == secret) == isWord)
    }

    /// Out of a file that ends with a line break, or with the quotation marks of an environment file.
    @Test(arguments: [
        ("shop-web:Zt8sDq0vN2mK7x%0A", true), ("shop-web:Zt8sDq0vN2mK7x\n", true),
        ("shop-web:\"Zt8sDq0vN2mK7x\"", true), ("shop-web: Zt8sDq0vN2mK7x", true),
        ("shop-web:Zt8sDq0vN2mK7x", false), ("shop-web:Zt8sDq0vN2mK7x+", false),
        ("shop-web:'Zt8sDq0vN2mK7x", false),
    ])
    func saysWhatStandsAroundTheSecret(credentials: String, isNamed: Bool) throws {
        let recording = try Recording(broken)
            .sendingHeader("Authorization", "Basic " + Base64.encode(credentials.utf8), to: "/token")
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "The client secret was sent with something around it") == isNamed)
        guard isNamed else { return }
        #expect(finding.isPrimary)
        #expect(finding.evidence.last?.note?.hasPrefix("the secret: ") == true)
        #expect(recording.finding("basic-credentials-encoding") == nil)
    }

    /// A form that was put together by hand: what stands for a space there is a character of the secret.
    @Test(arguments: [
        ("Zt8s+q0vN/2mK7==", true), ("Zt8s%2Bq0vN%2F2mK7%3D%3D", false), ("Zt8sq0vN2mK7", false),
        // A secret of words, as a form has it.
        ("correct+horse+battery", false),
    ])
    func saysThatTheSecretWasNotEncoded(secret: String, isNamed: Bool) throws {
        let recording = try Recording(broken).sendingHeader("Authorization", nil, to: "/token")
            .editingLast("/token") { exchange in
                let form = exchange.request.body?.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
                exchange.request.body = Body(
                    text: "\(form)&client_id=shop-web&client_secret=\(secret)",
                    mediaType: FormBody.mediaType
                )
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect((finding.title == "The client secret was not encoded for the form") == isNamed)
    }

    /// In JSON a + is a + (Cognito's and others' clients send their token requests so).
    @Test func signInJSONIsNotASpace() throws {
        let recording = try Recording(broken).sendingHeader("Authorization", nil, to: "/token")
            .editingLast("/token") {
                $0.request.body = .json(
                    """
                    {"grant_type":"authorization_code","code":"a-code-0123456789","client_id":"shop-web",\
                    "redirect_uri":"https://www.shop.example/callback","client_secret":"Zt8s+q0vN/2mK7=="}
                    """
                )
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.title != "The client secret was not encoded for the form")
    }
}
