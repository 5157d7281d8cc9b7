import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// The refresh that Firebase's SDKs for phones make in JSON, with names in camel case.
struct FirebaseRefreshTests {
    private func recording(_ status: Int, _ answer: String) -> Recording {
        var capture = CaptureBuilder()
        capture.post(
            "https://securetoken.googleapis.com/v1/token?key=not-a-key",
            json: #"{"grantType":"refresh_token","refreshToken":"not-a-refresh-token"}"#,
            status,
            headers: [("User-Agent", "FirebaseAuth.iOS/11.0")],
            body: .json(answer)
        )
        return Recording(capture.exchanges)
    }

    @Test(arguments: [
        ("TOKEN_EXPIRED", "refresh-token-expired"), ("USER_DISABLED", "token-invalid-grant"),
        ("USER_NOT_FOUND", "token-invalid-grant"), ("INVALID_REFRESH_TOKEN", "token-invalid-grant"),
    ])
    func refusalIsOneOfTheToken(message: String, rule: String) {
        let recording = recording(
            400,
            #"{"error":{"code":400,"message":"\#(message)","status":"INVALID_ARGUMENT"}}"#
        )
        #expect(recording.flows.map(\.grant) == ["refresh_token"])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("token-request-format") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func answerWithTokensIsSuccess() {
        let recording = recording(
            200,
            #"{"access_token":"not-a-token","expires_in":"3600","token_type":"Bearer","refresh_token":"not-another","user_id":"u1"}"#
        )
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.filter { $0.severity == .error }.isEmpty)
    }
}
