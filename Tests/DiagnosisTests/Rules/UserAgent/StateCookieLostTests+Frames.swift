import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

extension StateCookieLostTests {
    /// A login in a frame, as the browser says of the request that began it and of the callback.
    private func framed(
        _ cookie: String = "login=1234567890abcd; Path=/; Secure; SameSite=None",
        into destination: String = "iframe",
        from site: String = "cross-site"
    ) throws -> Recording {
        try Recording("user-agent/state-cookie-lost").editing { exchange in
            let isStart = exchange.request.url.path == "/login"
            guard isStart || exchange.request.url.text.contains("code=") else { return }
            exchange.request.headers.append("Sec-Fetch-Dest", destination)
            exchange.request.headers.append("Sec-Fetch-Site", isStart ? site : "cross-site")
            guard isStart else { return }
            exchange.response?.headers.replace("Set-Cookie", with: cookie)
        }
    }

    @Test func tellsTheFrameOfAnotherSite() throws {
        let finding = try #require(framed().finding("state-cookie-lost"))
        #expect(finding.isPrimary && finding.title.contains("frame of another site"))
        #expect(finding.places.last == "0 request.header Sec-Fetch-Dest")
        #expect(finding.fix.contains("Partitioned"))
    }

    /// There it is another reason.
    @Test(arguments: [
        (cookie: "; SameSite=None; Partitioned", into: "iframe", from: "cross-site"),
        (cookie: "; SameSite=None", into: "document", from: "cross-site"),
        (cookie: "; SameSite=None", into: "iframe", from: "same-origin"),
        (cookie: "; SameSite=None; Max-Age=1", into: "iframe", from: "cross-site"),
    ])
    func leavesOtherReasonsAlone(cookie: String, into destination: String, from site: String) throws {
        let recording = try framed(
            "login=1234567890abcd; Path=/; Secure" + cookie,
            into: destination,
            from: site
        )
        let finding = try #require(recording.finding("state-cookie-lost"))
        #expect(!finding.title.contains("frame"))
    }
}
