import Captures
import JOSE
import Replay
import Testing

struct SentTextsTests {
    /// A value that an answer issued, and the request that carries it on.
    private static let value = "a/b+c=d e12"

    private func sent(_ url: String, headers: [(String, String)] = [], body: Body? = nil) -> SentTexts {
        var sent = SentTexts()
        sent.note(
            RecordedRequest(method: "POST", url: RecordedURL(url), headers: HeaderFields(headers), body: body)
        )
        return sent
    }

    @Test(arguments: [
        "https://app.example/cb?state=a/b+c=d e12",
        "https://app.example/cb?state=a%2Fb%2Bc%3Dd%20e12",
        "https://app.example/?goto=%2Fcb%3Fs%3Da%252Fb%252Bc%253Dd%2520e12",
        "https://app.example/cb?state=a%2fb%2bc%3dd+e12",
    ])
    func valueIsFoundInAURLHoweverItIsEncoded(url: String) {
        #expect(sent(url).mayHold(Self.value))
        #expect(!sent(url).mayHold("a/b+c=d e13"))
    }

    @Test func valueIsFoundInBodiesHeadersAndTokens() throws {
        let claims = Base64URL.encode(Array(#"{"request":{"nonce":"a/b+c=d e12"}}"#.utf8))
        let token = "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(claims)."
        let url = "https://op.example/token"
        let json = Body(text: #"{"code":"a\/b+c=d\u0020e12"}"#, mediaType: "application/json")
        let form = Body(text: "code=a%2Fb%2Bc%3Dd+e12", mediaType: FormBody.mediaType)
        let assertion = Body(text: "client_assertion=\(token)", mediaType: FormBody.mediaType)
        let basic = "Basic " + Base64.encode(Array("app:a/b+c=d e12".utf8))
        #expect(sent(url, body: json).mayHold(Self.value))
        #expect(sent(url, body: form).mayHold(Self.value))
        #expect(sent(url, body: assertion).mayHold(Self.value))
        #expect(sent(url, headers: [("Authorization", basic)]).mayHold(Self.value))
        #expect(sent(url, headers: [("X-Session", Self.value)]).mayHold(Self.value))
        // Cookies are the browser's own affair.
        #expect(!sent(url, headers: [("Cookie", "s=\(Self.value)")]).mayHold(Self.value))
    }

    @Test(arguments: ["", "s", "sv"]) func valueIsFoundInsideOfBase64URL(padding: String) {
        let state = Base64URL.encode(#"{"a":"\#(padding)","to":"a/b+c=d e12"}"#.utf8)
        #expect(sent("https://app.example/cb?state=\(state)").mayHold(Self.value))
    }

    @Test func shortValueHasToBeAWholeOne() {
        #expect(sent("https://op.example/?page=17").mayHold("17"))
        #expect(!sent("https://op.example/?page=17").mayHold("7"))
    }

    @Test func longValueHasToBeThereToItsEnd() {
        let sent = sent("https://op.example/?code=SplxlOBeZQQYbYS6WxSbIA")
        #expect(sent.mayHold("SplxlOBeZQQYbYS6WxSbIA"))
        #expect(!sent.mayHold("SplxlOBeZQQYbYS6WxSbIAx"))
        #expect(!sent.mayHold("xSplxlOBeZQQYbYS6WxSbIA"))
    }
}
