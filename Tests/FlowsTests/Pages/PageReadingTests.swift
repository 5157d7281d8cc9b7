import Captures
import Flows
import TestSupport
import Testing

struct PageReadingTests {
    private func page(_ html: String, type: String? = "text/html; charset=utf-8") -> PageReading? {
        let url = RecordedURL("https://idp.example/sign-in")
        let exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 1),
            request: RecordedRequest(method: "GET", url: url),
            response: RecordedResponse(status: 200, body: Body(text: html, mediaType: type))
        )
        let index = CaptureIndex(Capture([exchange]))
        let first = index.page(0)
        // The second time it is not read again.
        #expect(index.page(0)?.forms == first?.forms)
        #expect(index.page(0)?.errorHeading == first?.errorHeading)
        return first
    }

    @Test func formsHeadingAndWordsAreRead() throws {
        let signIn = try #require(
            page("<form action=/next method=post><input name=user><input type=password name=p></form>")
        )
        #expect(signIn.forms.map(\.action) == ["/next"])
        #expect(signIn.errorHeading == nil)
        #expect(!signIn.mentions(.redirect, .callback, .entra, .entraB2C, .denied, .unknownClient))
        let refusal = try #require(page("<h1>Something went wrong</h1><p>AADSTS50011: The Redirect URI</p>"))
        #expect(refusal.forms.isEmpty)
        #expect(refusal.errorHeading == "Something went wrong")
        #expect(refusal.mentions(.redirect) && refusal.mentions(.entra) && !refusal.mentions(.callback))
    }

    @Test(arguments: [
        ("{\"error\":\"x\"}", "text/html"), ("  [1]", "text/html"), ("<form></form>", "text/plain"),
        ("", "text/html"),
    ])
    func whatIsNoPageIsNone(text: String, type: String) { #expect(page(text, type: type) == nil) }

    /// Glewlwyd sends the form with its answer so, and browsers show it.
    @Test(arguments: [nil, ""] as [String?]) func pageWithoutATypeIsOneByItsBeginning(type: String?) {
        let form = "<form method=post action=/callback><input name=code value=a></form>"
        #expect(page("<html><body>\(form)</body></html>", type: type)?.forms.count == 1)
        #expect(page("\(form)", type: type) == nil)
        #expect(page("<html><body>\(form)</body></html>", type: "text/plain") == nil)
    }

    /// One with long forms is read whenever somebody asks; of another there is as much to say.
    @Test func largeFormIsTheSameEachTime() throws {
        let value = String(repeating: "v", count: 8 << 10)
        let reading = try #require(page("<form><input type=hidden name=s value=\(value)></form>"))
        #expect(reading.forms.first?.fields.first?.value == value)
    }
}
