import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import OAuth
import TestSupport
import Testing

/// What is said of a capture that begins in the middle of a login, or behind it.
struct LoneFlowTests {
    private static func recording(_ build: (inout CaptureBuilder) -> Void) -> Recording {
        var capture = CaptureBuilder()
        build(&capture)
        return Recording(capture.exchanges)
    }

    @Test(arguments: [
        ("error=invalid_scope&error_description=no+such+scope", "authorization-error"),
        ("error=access_denied&error_description=The+user+declined", "user-cancelled"),
        ("error=access_denied&error_description=AADSTS50105", "access-denied-by-policy"),
        ("error=server_error&error_description=oops", "provider-server-error"),
        ("code=SplxlOBeZQQYbYS6WxSbIA", "callback-rejected-by-app"),
    ]) func answerIsTold(query: String, rule: String) throws {
        let recording = Self.recording { capture in
            capture.get(
                "https://shop.example/callback?\(query)&state=af0ifjsldkj",
                query.hasPrefix("code") ? 403 : 200,
                body: .html("<h1>Sorry</h1>")
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && recording.findings.count == 1)
    }

    @Test func answerThatWasTakenIsHealthy() {
        let recording = Self.recording { capture in
            capture.redirect(
                "https://shop.example/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj",
                to: "/home"
            )
            capture.get("https://shop.example/home", body: .html("<p>Welcome</p>"))
        }
        #expect(recording.outcomes == [.success] && recording.findings.isEmpty)
    }

    private static func calling(_ claims: String, _ answer: [(String, String)]) -> Recording {
        let token = [#"{"alg":"RS256","kid":"k1"}"#, claims, "signature"].map { Base64URL.encode($0.utf8) }
            .joined(separator: ".")
        return recording { capture in
            capture.get(
                "https://api.example/orders",
                401,
                headers: [("Authorization", "Bearer \(token)")],
                answer: [("Date", "Thu, 28 May 2026 20:26:40 GMT")] + answer
            )
        }
    }

    /// The clock of the captures stands at 1780000000.
    @Test func tokenSpeaksForItself() throws {
        let invalid = [("WWW-Authenticate", #"Bearer error="invalid_token""#)]
        let expired = Self.calling(#"{"iss":"https://idp.example","exp":1779990000}"#, invalid)
        #expect(expired.finding("access-token-expired")?.isPrimary == true)
        let audience = Self.calling(
            #"{"iss":"https://idp.example","aud":"https://other.example","exp":1780009000}"#,
            [("WWW-Authenticate", #"Bearer error="invalid_token", error_description="invalid audience""#)]
        )
        #expect(audience.finding("audience-mismatch")?.isPrimary == true)
        let plain = Self.calling(#"{"iss":"https://idp.example","exp":1780009000}"#, invalid)
        let finding = try #require(plain.finding("bearer-rejected"))
        #expect(finding.isPrimary && finding.explanation.contains("is not in the capture"))
    }
}
