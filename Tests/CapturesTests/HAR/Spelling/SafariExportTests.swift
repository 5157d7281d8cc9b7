@testable import Captures
import JSON
import TestSupport
import Testing

/// Requests that were redirected, as Safari's Web Inspector exports them.
struct SafariExportTests {
    private static let form = #"{"mimeType":"","text":"username=jane&password=Tr0ub4dor&code=493021"}"#

    private static func entry(
        _ url: String,
        method: String = "POST",
        headers: String = #"[{"name":"Accept","value":"text/html"}]"#,
        body: String? = form,
        status: Int = 200,
        own: String = #","_fetchType":"Network Load""#
    ) -> String {
        let data = body.map { #","postData":\#($0)"# } ?? ""
        return
            #"{"startedDateTime":"2026-05-12T08:30:05.000Z","time":120,"request":{"method":"\#(method)","url":"\#(url)","httpVersion":"HTTP/2","headers":\#(headers),"cookies":[],"queryString":[],"headersSize":-1,"bodySize":-1\#(data)},"response":{"status":\#(status),"statusText":"","httpVersion":"HTTP/2","headers":[],"cookies":[],"content":{"size":2,"mimeType":"text/html","text":"ok"},"redirectURL":"","headersSize":-1,"bodySize":-1},"cache":{},"timings":{"send":1,"wait":28,"receive":1}\#(own)}"#
    }

    private static func har(_ entries: String..., creator: String = "WebKit Web Inspector") -> String {
        #"{"log":{"version":"1.2","creator":{"name":"\#(creator)","version":"1"},"entries":[\#(entries.joined(separator: ","))]}}"#
    }

    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
    }

    private static let callback = "https://app.example/callback?code=Splx&state=af0i"

    /// The sign-in page's form is no part of the callback that it was redirected to.
    @Test(arguments: [
        entry(callback), entry(callback, method: "GET"), entry(callback, headers: "[]"),
        entry("https://app.example/callback?error=access_denied&state=af0i", headers: "[]"),
        entry("https://app.example/home"),
    ])
    func bodyOfTheFirstHopIsNotThatOfTheLast(entry: String) throws {
        let request = try read(Self.har(entry))[0].request
        #expect(request.method == "GET" && request.body == nil)
        #expect(
            request.foreign[SafariExport.earlierBody]?["text"]?.string
                == "username=jane&password=Tr0ub4dor&code=493021"
        )
    }

    /// What was sent with a body is as it was, also behind a redirect that keeps it.
    @Test(arguments: [
        entry(callback, headers: #"[{"name":"content-type","value":"application/x-www-form-urlencoded"}]"#),
        entry(callback, headers: #"[{"name":"Content-Length","value":"44"}]"#),
        entry("https://idp.example/token", headers: "[]"),
        entry("https://idp.example/login?state=af0i", headers: "[]"),
        entry(callback, own: ""),
    ])
    func bodyThatWasSentStays(entry: String) throws {
        let request = try read(Self.har(entry))[0].request
        #expect(request.method == "POST" && request.body?.text?.hasPrefix("username=jane") == true)
    }

    /// A callback of `response_mode=form_post` that answered itself is that, whether its header fields were seen or not; of one that
    /// redirected only the place is left to which it did.
    @Test(arguments: [
        (
            "https://app.example/callback",
            #"[{"name":"content-type","value":"application/x-www-form-urlencoded"}]"#, true
        ),
        ("https://app.example/callback", "[]", true),
        ("https://app.example/home", #"[{"name":"Accept","value":"text/html"}]"#, false),
    ])
    func authorizationResponseInAForm(url: String, headers: String, isCallback: Bool) throws {
        let body =
            #"{"mimeType":"application/x-www-form-urlencoded","text":"code=Splx&state=af0i&iss=https%3A%2F%2Fidp.example"}"#
        let request = try read(Self.har(Self.entry(url, headers: headers, body: body)))[0].request
        #expect(request.method == (isCallback ? "POST" : "GET"))
        let names = FormBody.items(of: request.body)?.items.map(\.name) ?? []
        #expect(names == (isCallback ? ["code", "state", "iss"] : []))
    }

    @Test func missingRedirectsAreTold() throws {
        let losses = try read(Self.har(Self.entry(Self.callback))).losses
        try #require(losses.count == 1)
        #expect(losses[0].what.hasPrefix("Safari leaves redirects out") && !losses[0].isEnd)
    }

    @Test func redirectsThatAreThereAreNotMissing() throws {
        let redirect = Self.entry("https://idp.example/authorize", method: "GET", body: nil, status: 302)
        #expect(try read(Self.har(redirect, Self.entry(Self.callback))).losses.isEmpty)
        #expect(try read(Self.har(Self.entry(Self.callback), creator: "Firefox")).losses.isEmpty)
    }

    /// Read, written and read again, it says the same.
    @Test func importKeepsBoth() throws {
        let written = try OriginalEntryTests.imported([Self.har(Self.entry(Self.callback))])
        let again = try read(JSONWriter.text(of: written))
        #expect(again[0].request.method == "GET" && again[0].request.body == nil)
        #expect(again.losses.count == 1)
    }
}
