import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// What an app does with the outcome of its login at Google's Identity Platform (Firebase Authentication).
struct IdentityPlatformSignInTests {
    private let rule = "callback-rejected-by-app"
    private let title = "Identity Platform (Firebase) did not take what the provider gave the app"
    private let google = "https://accounts.google.com"
    private let shop = "https://www.shop.example"
    private let idToken =
        "\(encoded(#"{"alg":"RS256"}"#)).\(encoded(#"{"iss":"https://accounts.google.com","aud":"shop-web","sub":"1099","iat":1780000000,"exp":1780003600,"nonce":"n-0S6_WzA2Mj"}"#)).c2lnbmF0dXJl"

    private func refusal(_ message: String) -> Body {
        .json(#"{"error":{"code":400,"message":"\#(message)","errors":[]}}"#)
    }

    private let taken = Body.json(#"{"localId":"u1","idToken":"not-a-token","refreshToken":"not-another"}"#)

    private func signIn(_ capture: inout CaptureBuilder, _ sent: String, _ status: Int, _ answer: Body) {
        capture.post(
            "https://identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=not-a-key",
            json: sent,
            status,
            headers: [("Origin", shop)],
            body: answer
        )
    }

    /// By a page that gets the ID token in the fragment.
    private func byPage(_ answers: [(Int, Body)]) -> Recording {
        var capture = CaptureBuilder()
        capture.redirect(
            "\(google)/o/oauth2/v2/auth?client_id=shop-web&response_type=id_token&redirect_uri=https%3A%2F%2Fwww.shop.example%2Fauth&scope=openid&state=af0ifjsldkj&nonce=n-0S6_WzA2Mj",
            to: "\(shop)/auth#state=af0ifjsldkj&id_token=\(idToken)"
        )
        capture.get("\(shop)/auth", body: .html("<!doctype html><script src=\"/app.js\"></script>"))
        for (status, answer) in answers {
            signIn(
                &capture,
                #"{"postBody":"id_token=\#(idToken)&providerId=google.com","requestUri":"http://localhost","returnSecureToken":true}"#,
                status,
                answer
            )
        }
        return Recording(capture.exchanges)
    }

    @Test func refusalOfATokenIsTold() throws {
        let recording = byPage([(400, refusal("INVALID_IDP_RESPONSE : The Google id_token is not allowed"))])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error && finding.title == title)
        #expect(
            finding.places == ["2 request.url ", "2 response.body error.message", "0 jwt.claims aud"]
        )
        #expect(finding.fix.contains("aud of the ID token"))
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [
        ("OPERATION_NOT_ALLOWED : The identity provider configuration is disabled.", "Turn this provider on"),
        ("MISSING_OR_INVALID_NONCE : Nonce is missing in the request.", "raw nonce"),
        (
            "MISSING_OR_INVALID_NONCE : Duplicate credential received. Please try again.",
            "Bring each token once"
        ),
        ("USER_DISABLED", "Enable the account"), ("EMAIL_EXISTS", "link the two"),
        ("BLOCKING_FUNCTION_ERROR_RESPONSE : no", "Go by the message"),
    ])
    func fixGoesByTheMessage(message: String, fix: String) throws {
        #expect(try #require(byPage([(400, refusal(message))]).finding(rule)).fix.contains(fix))
    }

    /// What is no answer of the platform's in form has no reason to go by.
    @Test func refusalWithoutAMessageIsNotSaidToNameOne() throws {
        let finding = try #require(byPage([(403, .html("<h1>Forbidden</h1>"))]).finding(rule))
        #expect(finding.title == title && finding.places.contains("2 response.status "))
        #expect(finding.explanation.hasSuffix("and named no reason."))
        #expect(!finding.fix.contains("Go by the message") && finding.fix.contains("See what answered"))
    }

    /// One that was taken, at once or at the next try, and one that could not be dealt with.
    @Test(arguments: [[200], [400, 200], [503], [429], []] as [[Int]])
    func leavesOthersAlone(statuses: [Int]) {
        let recording = byPage(
            statuses.map { ($0, $0 == 200 ? taken : refusal("INVALID_IDP_RESPONSE : no")) }
        )
        #expect(recording.findings.filter { $0.severity == .error }.isEmpty)
        #expect(recording.outcomes == [.success])
    }

    /// What is refused long after the login is another matter: a token that was kept, say.
    @Test(arguments: [(299, true), (301, false)]) func refusalIsOfALoginRightBeforeIt(
        seconds: Int,
        fires: Bool
    ) {
        var recording = byPage([(400, refusal("INVALID_IDP_RESPONSE : no"))])
        recording.exchanges[2].startedAt = recording.exchanges[0].startedAt + .seconds(seconds)
        #expect((recording.finding(rule)?.title == title) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// Firebase's own page brings the code, in the address that it was loaded at.
    @Test(arguments: [(400, true), (200, false)])
    func codeOfTheHelperPageIsNoServersOfTheApps(status: Int, isRefused: Bool) throws {
        let helper = "https://shop.firebaseapp.com/__/auth/handler"
        let answer = "\(helper)?state=af0ifjsldkj&code=4%2F0AeaYSHnot-a-code-0123456789"
        var capture = CaptureBuilder()
        capture.redirect(
            "\(google)/o/oauth2/auth?client_id=shop-web&response_type=code&redirect_uri=https%3A%2F%2Fshop.firebaseapp.com%2F__%2Fauth%2Fhandler&scope=openid&state=af0ifjsldkj",
            to: answer
        )
        capture.get(answer, body: .html("<!doctype html><script src=\"handler.js\"></script>"))
        signIn(
            &capture,
            #"{"requestUri":"\#(answer)","sessionId":"not-a-session","returnSecureToken":true}"#,
            status,
            isRefused ? refusal("INVALID_IDP_RESPONSE : Invalid client secret") : taken
        )
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule)?.title == (isRefused ? title : nil))
        #expect(recording.outcomes == [isRefused ? .failure : .success])
    }

    /// An app on a device exchanges its code itself, and brings the ID token.
    @Test(arguments: [(400, true), (200, false)])
    func tokenOfAnAppIsFollowed(status: Int, isRefused: Bool) throws {
        let app = try Recording("healthy/native-app")
        let granted = try #require(app.exchanges.first { $0.request.url.path == "/token" })
        let token = try #require(Answer(of: granted, at: 0).parameters["id_token"])
        var call = try #require(app.exchanges.last)
        call.request.method = "POST"
        call.request.url = RecordedURL("https://identitytoolkit.googleapis.com/v1/accounts:signInWithIdp")
        call.request.headers.remove("authorization")
        call.request.body = .json(#"{"postBody":"id_token=\#(token)&providerId=oidc.harbour"}"#)
        call.startedAt = call.startedAt + .seconds(1)
        call.response?.status = status
        call.response?.body = isRefused ? refusal("INVALID_CREDENTIAL_OR_PROVIDER_ID : no") : taken
        let recording = Recording(app.exchanges + [call])
        #expect(recording.finding(rule)?.title == (isRefused ? title : nil))
        #expect(recording.outcomes == [isRefused ? .failure : .success])
    }
}
