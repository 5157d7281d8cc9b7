import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct LostFormTests {
    private let title = "The provider's own form was lost at a redirect"

    private func isLost(_ recording: Recording) -> Bool {
        recording.findings.contains { $0.title == title }
    }

    /// A redirect that leaves the form's query out, or https, is no other spelling of its address.
    @Test(arguments: [
        ("https://www.id.harbour.example/sign-in", "https", true),
        ("https://www.id.harbour.example/sign-in?s=1", "https", false),
        ("https://id.harbour.example/sign-in/", "http", false),
    ])
    func redirectToAnotherAddressIsAnAnswerToTheForm(sentTo: String, scheme: String, isTold: Bool) throws {
        var recording = try Recording.losingTheForm(sentTo: sentTo)
        let last = recording.exchanges.count - 1
        let page = scheme + recording.exchanges[last].request.url.text.dropFirst("https".count)
        recording.exchanges[last].request.url = RecordedURL(page)
        recording.exchanges[last - 1].response?.redirect(to: page)
        #expect(isLost(recording) == isTold)
        #expect(recording.outcomes == [isTold ? .failure : .incomplete])
    }

    /// A button without a field has nothing to lose; a form that was not saved may.
    @Test(arguments: [
        (Body(text: "", mediaType: FormBody.mediaType), false), (Body(content: .missing), true),
    ])
    func formWithoutFieldsLosesNone(body: Body, isTold: Bool) throws {
        var recording = try Recording.losingTheForm(sentTo: "https://id.harbour.example/sign-in/")
        recording.exchanges[recording.exchanges.count - 2].request.body = body
        #expect(isLost(recording) == isTold)
    }
}
