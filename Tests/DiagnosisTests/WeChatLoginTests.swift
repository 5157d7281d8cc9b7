import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// WeChat's own names and numbers: `appid` and `secret` in a GET, `errcode` in an answer of status 200.
struct WeChatLoginTests {
    private func recording(_ answer: String) -> Recording {
        var capture = CaptureBuilder()
        let callback = "https://shop.example/cb?code=021AbcDefGhi&state=af0ifjsldkj"
        capture.redirect(
            "https://open.weixin.qq.com/connect/oauth2/authorize?appid=wx1&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&response_type=code&scope=snsapi_userinfo&state=af0ifjsldkj",
            to: callback
        )
        capture.redirect(callback, to: "/home")
        capture.get(
            "https://api.weixin.qq.com/sns/oauth2/access_token?appid=wx1&secret=not-a-secret&code=021AbcDefGhi&grant_type=authorization_code",
            headers: [("User-Agent", "Java-http-client/17.0.9")],
            body: .json(answer)
        )
        return Recording(capture.exchanges)
    }

    @Test(arguments: [
        (40125, "invalid appsecret, rid: 5f", "client-secret-mismatch"),
        (40013, "invalid appid, rid: 5f", "token-invalid-client"),
        (40029, "invalid code, rid: 5f", "token-invalid-grant"),
    ])
    func saysWhatWasRefused(number: Int, words: String, rule: String) {
        let recording = recording(#"{"errcode":\#(number),"errmsg":"\#(words)"}"#)
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.finding("redirect-uri-token-mismatch") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func answerWithATokenIsSuccess() {
        let recording = recording(
            #"{"access_token":"not-a-token","expires_in":7200,"refresh_token":"not-another","openid":"o1","scope":"snsapi_userinfo"}"#
        )
        #expect(recording.findings.filter { $0.severity == .error }.isEmpty)
        #expect(recording.outcomes == [.success])
        #expect(recording.flows.map(\.clientID) == ["wx1"])
    }
}
