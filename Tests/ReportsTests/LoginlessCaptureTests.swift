import Captures
import Reports
import TestSupport
import Testing

struct LoginlessCaptureTests {
    @Test(
        arguments: [
            (
                ["ECONNREFUSED: nobody there", "ENOTFOUND: no address"],
                "2 exchanges, no OAuth or OpenID Connect traffic among them; 2 of them had no answer, the first: [0]"
            ),
            (
                ["ECONNREFUSED: nobody there"],
                "1 exchange, no OAuth or OpenID Connect traffic in it; it had no answer: [0]"
            ),
        ]
    )
    func captureOfFailedConnectionsSaysSo(failures: [String], words: String) {
        var builder = CaptureBuilder()
        for failure in failures {
            var exchange = Exchange(
                startedAt: Timestamp(nanoseconds: 0),
                request: RecordedRequest(method: "CONNECT", url: RecordedURL("https://idp.example:8443/"))
            )
            exchange.failure = failure
            builder.add(exchange)
        }
        let report = ReportBuilder.report(on: builder.capture, named: "failed.har")
        #expect(
            TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain)
                == "failed.har: \(words) idp.example:8443: ECONNREFUSED: nobody there"
        )
    }

    /// Where connections failed that is what is wrong; one of many is a side request's.
    @Test func captureWithoutLoginsComesWithAdvice() {
        var builder = CaptureBuilder()
        builder.get("https://news.example/")
        #expect(LoginlessCapture(builder.capture).advice?.contains("first click") == true)
        var exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            request: RecordedRequest(method: "CONNECT", url: RecordedURL("https://idp.example:8443/"))
        )
        exchange.failure = "ECONNREFUSED: nobody there"
        builder.add(exchange)
        #expect(LoginlessCapture(builder.capture).advice == nil)
        builder.get("https://news.example/today")
        #expect(LoginlessCapture(builder.capture).advice?.contains("first click") == true)
    }

    /// What was cut off was perhaps recorded from the first click on.
    @Test func captureThatIsCutOffIsToBeHadWhole() {
        var builder = CaptureBuilder()
        builder.get("https://news.example/")
        var capture = builder.capture
        capture.losses = [Capture.Loss(offset: 700, line: 3, what: "entry 1 is cut off", isEnd: true)]
        let advice = LoginlessCapture(capture).advice
        #expect(advice?.contains("is cut off") == true && advice?.contains("first click") == false)
    }

    /// An app that cannot read the provider's metadata has nowhere to send the browser, and says so on its own page.
    @Test(arguments: [
        (500, "Failed to query provider: oidc: issuer did not match", true),
        (404, "<h2>Error</h2><p>Could not reach the OpenID Connect provider.</p>", true),
        (200, "<div class=\"alert alert-danger\">OpenIDConnect: Issuer mismatch</div>", true),
        (200, "<h1>How OpenID Connect works</h1>", false), (500, "<h1>Out of paper</h1>", false),
    ])
    func loginThatTheAppGaveUpIsQuoted(status: Int, page: String, isQuoted: Bool) {
        var builder = CaptureBuilder()
        builder.get("https://deploy.example/")
        var exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            request: RecordedRequest(
                method: "GET",
                url: RecordedURL("https://deploy.example/auth/login?to=%2F")
            )
        )
        exchange.response = RecordedResponse(status: status, body: Body(text: page, mediaType: "text/html"))
        builder.add(exchange)
        let advice = LoginlessCapture(builder.capture).advice ?? ""
        #expect(advice.contains("https://deploy.example/auth/login was answered with \(status)") == isQuoted)
        #expect(advice.contains("first click") == !isQuoted)
    }

    /// OmniAuth tells what it met in the address of its page for failures, whatever that page looks like.
    @Test(arguments: [
        ("/auth/failure?message=Issuer+mismatch&strategy=oidc", "Issuer mismatch (oidc)"),
        ("/auth/failure?message=timeout&strategy=google_oauth2", "timeout (google_oauth2)"),
        ("/auth/failure?message=invalid_ticket&strategy=saml", nil),
        ("/auth/failure?message=Issuer+mismatch", nil), ("/news?message=oidc&strategy=oidc", nil),
    ])
    func loginThatTheAppGaveUpIsNamedByItsAddress(location: String, words: String?) {
        var builder = CaptureBuilder()
        builder.redirect("https://deploy.example/auth/oidc", to: "https://deploy.example" + location)
        let advice = LoginlessCapture(builder.capture).advice ?? ""
        if let words {
            #expect(
                advice.hasPrefix(
                    "[0] https://deploy.example/auth/oidc was answered with 302: \"\(words)\". The app gave"
                )
            )
        }
        #expect(advice.contains("first click") == (words == nil))
    }
}
