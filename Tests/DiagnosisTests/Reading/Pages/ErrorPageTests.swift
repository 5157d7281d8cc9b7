import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

struct ErrorPageTests {
    /// A few words of the authorization endpoint's are a refusal, unless there is something to fill in.
    @Test(
        arguments: [
            ("<p>Invalid parameter: scope</p>", "scope-rejected"),
            ("<p>Invalid parameter: scope</p><input name=user>", nil),
            ("<p>The client shop-web is not registered here</p>", "client-id-unknown"),
        ] as [(String, String?)]
    )
    func fewWordsOfTheEndpointRefuseARequest(page: String, rule: String?) throws {
        let recording = try Recording("healthy/web-code-flow").saying(page, status: 200)
        #expect(recording.findings.first { $0.severity == .error }?.rule == rule)
        #expect(recording.outcomes == [rule == nil ? .incomplete : .failure])
    }

    /// Its name may have an ending, and is a whole part of the path.
    @Test(arguments: [("error", true), ("error.html", true), ("errors", false)])
    func pageOfErrorsIsKnownByItsAddress(name: String, isOne: Bool) throws {
        let address = "https://id.harbour.example/" + name
        var recording = try Recording("healthy/web-code-flow").redirecting(to: address)
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.endedAt + .milliseconds(10)
        page.request.url = RecordedURL(address)
        page.response = RecordedResponse(
            status: 200,
            body: .html("<p>invalid_scope</p><p>Contact us when you need help.</p>")
        )
        recording.exchanges.append(page)
        #expect((recording.finding("scope-rejected")?.isPrimary == true) == isOne)
        #expect(recording.outcomes == [isOne ? .failure : .incomplete])
    }
}
