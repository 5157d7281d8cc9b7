import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// A provider whose page is made by a script: the script hands the request on and is told with 200 (Casdoor).
struct RedirectURIToldToScriptTests {
    @Test(arguments: [
        (
            #"{"status":"error","msg":"Redirect URI: https://shop.example/cb doesn't exist in the allowed Redirect URI list"}"#,
            true
        ),
        (#"{"status":"error","msg":"重定向 URI：https://shop.example/cb在许可跳转列表中未找到"}"#, true),
        (#"{"status":"error","msg":"The application is not enabled"}"#, false),
        (
            #"{"status":"ok","msg":"","data":{"name":"shop","redirectUris":["https://shop.example/cb"]}}"#,
            false
        ),
    ])
    func readsWhatThePagesScriptIsTold(answer: String, isOne: Bool) throws {
        let (recording, index) = try recording(told: answer)
        let finding = recording.finding("redirect-uri-not-registered")
        #expect((finding?.isPrimary == true) == isOne)
        #expect((finding?.evidence.contains { $0.place.exchange == index + 1 } == true) == isOne)
    }

    /// Who signs in behind the refusal, at the page of this login or of another one.
    @Test(arguments: [true, false])
    func signInOfAnotherLoginIsNoneOfThisOne(isOfAnother: Bool) throws {
        var (recording, index) = try recording(
            told:
                #"{"status":"error","msg":"Redirect URI: https://shop.example/cb doesn't exist in the allowed Redirect URI list"}"#
        )
        var page = recording.exchanges[index]
        let state = try #require(page.request.url.queryItems.first("state"))
        var call = recording.exchanges[index + 1]
        var sent = state
        if isOfAnother {
            sent = "another-state-of-the-app"
            page.request.url = RecordedURL(page.request.url.text.replacing(state, with: sent))
            page.startedAt = call.startedAt + .seconds(20)
            recording.exchanges.append(page)
        }
        call.startedAt = call.startedAt + .seconds(30)
        call.request.method = "POST"
        call.request.url = RecordedURL(
            call.request.url.text.replacing("get-app-login", with: "login") + "&state=" + sent
        )
        call.request.body = .json(#"{"username":"alice","password":"sea-otter-77"}"#)
        call.response?.body = .json(#"{"status":"error","msg":"password is incorrect"}"#)
        recording.exchanges.append(call)
        #expect((recording.finding("redirect-uri-not-registered")?.isPrimary == true) == isOfAnother)
        #expect(recording.flows.count == (isOfAnother ? 2 : 1))
    }

    /// The page of a login whose script was told this, and where in the capture the page is.
    private func recording(told answer: String) throws -> (Recording, Int) {
        let whole = try Recording("authorization-request/client-id-unknown")
        let index = try #require(whole.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var recording = Recording(Array(whole.exchanges.prefix(index + 1)))
        var call = recording.exchanges[index]
        let asked = call.request.url
        recording.exchanges[index].response = RecordedResponse(
            status: 200,
            body: Body(text: "<title>Casdoor</title><div id=root></div>", mediaType: "text/html")
        )
        let client = try #require(asked.queryItems.first("client_id"))
        let target = PercentEncoding.encode(try #require(asked.queryItems.first("redirect_uri")))
        call.startedAt = call.startedAt + .milliseconds(300)
        call.request.url = RecordedURL(
            "https://id.harbour.example/api/get-app-login?clientId=\(client)&redirectUri=\(target)"
        )
        call.response = RecordedResponse(
            status: 200,
            body: .json(answer)
        )
        recording.exchanges.append(call)
        return (recording, index)
    }
}
