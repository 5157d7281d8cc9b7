import Captures
import Flows
import LibCrypto
import OAuth
import Replay
import Testing

struct RequestAdjustmentTests {
    private func request(_ headers: [(String, String)], _ form: [(String, String)]) -> RecordedRequest {
        RecordedRequest(
            method: "POST",
            url: RecordedURL("https://idp.example/token"),
            headers: HeaderFields(headers),
            body: Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
    }

    private func changed(
        _ request: RecordedRequest,
        _ change: (inout RequestAdjustments) -> Void
    ) -> (authorization: String?, form: QueryItems) {
        var adjustments = RequestAdjustments()
        change(&adjustments)
        let result = adjustments.applied(to: request, secret: nil)
        return (result.headers.first("authorization"), FormBody.items(of: result.body) ?? QueryItems())
    }

    @Test func basicBecomesPostAndBack() {
        let basic = request(
            [("Authorization", "Basic " + Base64.encode(Array("a b:s%26t".utf8)))],
            [("code", "1")]
        )
        let post = changed(basic) { $0.authentication = .secretPost }
        #expect(post.authorization == nil && post.form.first("client_id") == "a b")
        #expect(post.form.first("client_secret") == "s&t" && post.form.first("code") == "1")
        let body = request([], [("client_id", "a b"), ("client_secret", "s&t"), ("code", "1")])
        let header = changed(body) { $0.authentication = .secretBasic }
        #expect(header.authorization == "Basic " + Base64.encode(Array("a%20b:s%26t".utf8)))
        #expect(!header.form.contains("client_secret") && !header.form.contains("client_id"))
    }

    @Test func publicClientSendsItsIDAlone() {
        let basic = request(
            [("Authorization", "Basic " + Base64.encode(Array("app:secret".utf8)))],
            [("code", "1")]
        )
        let bare = changed(basic) { $0.authentication = ClientAuthentication.Method.none }
        #expect(bare.authorization == nil && bare.form.items.map(\.name) == ["code", "client_id"])
    }

    @Test func encodingOfCredentialsIsChosen() {
        let raw = request([("Authorization", "Basic " + Base64.encode(Array("app:a+b".utf8)))], [])
        #expect(
            changed(raw) { $0.encodesCredentials = false }.authorization
                == "Basic " + Base64.encode(Array("app:a b".utf8))
        )
    }

    @Test func parametersInAQueryBecomeAForm() {
        var adjustments = RequestAdjustments()
        adjustments.sendsForms = true
        let request = RecordedRequest(
            method: "GET",
            url: RecordedURL("https://idp.example/token?grant_type=authorization_code&code=1")
        )
        let result = adjustments.applied(to: request, secret: nil)
        #expect(result.method == "POST" && result.url.query == nil)
        #expect(FormBody.items(of: result.body)?.first("code") == "1")
    }
}
