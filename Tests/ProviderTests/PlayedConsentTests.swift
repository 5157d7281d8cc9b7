import Captures
import JSON
import Provider
import TestSupport
import Testing

/// Pages at which the user agrees, played: what an app and a device hear of a yes and of a no.
struct PlayedConsentTests {
    private static let consent = """
        <form method="post"><input type="hidden" name="tx" value="c0ffee1234567890">
        <button name="answer" value="yes">Allow</button><button name="answer" value="no">Refuse</button></form>
        """

    /// A login up to its page to sign in at.
    private static func askingWho() -> CaptureBuilder {
        var builder = CaptureBuilder()
        builder.redirect(PlayedPagesTests.authorize, to: "https://id.example/in")
        builder.get(
            "https://id.example/in",
            body: .html("<form method=post><input name=user><input type=password name=pw></form>")
        )
        return builder
    }

    /// Sign-in and a page to agree at, for a client or a device.
    private static func consenting(at url: String, _ builder: inout CaptureBuilder, _ location: String) {
        builder.get(
            url,
            body: .html("<form method=post action=/in><input name=user><input type=password name=pw></form>")
        )
        builder.post(
            "https://id.example/in",
            [("user", "alice"), ("pw", "open sesame")],
            302,
            answer: [("Location", "/agree")]
        )
        builder.get("https://id.example/agree", body: .html(consent))
        builder.post(
            "https://id.example/agree",
            [("tx", "c0ffee1234567890"), ("answer", "yes")],
            302,
            answer: [("Location", location)]
        )
    }

    @Test(arguments: [("yes", "code"), ("no", "error"), ("", "error")])
    func otherButtonThanTheRecordedOneIsANo(answer: String, name: String) throws {
        var builder = CaptureBuilder()
        Self.consenting(
            at: PlayedPagesTests.authorize,
            &builder,
            "https://shop.example/cb?code=0123456789abcdefABCDEF&state=RecordedState1"
        )
        let caller = Caller(try RecordedProviderTests.provider(builder.capture))
        _ = caller.get(PlayedPagesTests.base + "/auth", PlayedPagesTests.request("MyOwnState42"))
        _ = caller.post(PlayedPagesTests.base + "/in", [("user", "alice"), ("pw", "open sesame")])
        let page = caller.get(PlayedPagesTests.base + "/agree", [])
        #expect(page.status == 200)
        let button = answer.isEmpty ? [] : [("answer", answer)]
        let end = caller.post(PlayedPagesTests.base + "/agree", [("tx", "c0ffee1234567890")] + button)
        let items = RecordedURL(end.location ?? "").queryItems
        #expect(items.first(name) != nil && items.first("state") == "MyOwnState42")
        #expect(items.first("error") == (name == "error" ? "access_denied" : nil))
    }

    /// Buttons that send one form to addresses of their own, which differ by a parameter.
    @Test(arguments: [("yes", "code"), ("no", "error")])
    func buttonOfAnotherAddressIsANo(answer: String, name: String) throws {
        let (recorded, agree) = ("d41d8cd98f00b204e9800998", PlayedPagesTests.base + "/agree")
        let buttons = ["no", "yes"].map { word in
            "<button formaction=\"/agree?tx=\(recorded)&amp;do=\(word)\">\(word)</button>"
        }
        var builder = Self.askingWho()
        builder.post(
            "https://id.example/in",
            [("user", "alice"), ("pw", "open sesame")],
            body: .html("<form method=post action=/agree>\(buttons.joined())</form>")
        )
        builder.post(
            "https://id.example/agree?tx=\(recorded)&do=yes",
            [],
            302,
            answer: [("Location", "https://shop.example/cb?code=0123456789abcdefABCDEF&state=RecordedState1")]
        )
        let caller = Caller(try RecordedProviderTests.provider(builder.capture))
        _ = caller.get(PlayedPagesTests.base + "/auth", PlayedPagesTests.request("MyOwnState42"))
        let page = caller.post(PlayedPagesTests.base + "/in", [("user", "alice"), ("pw", "open sesame")])
        let action = HTMLForm.all(in: page.body?.text ?? "").flatMap(\.buttonActions).first {
            $0.hasSuffix("do=" + answer)
        }
        let query = RecordedURL(try #require(action)).query ?? ""
        let end = caller.post(agree + "?" + query, [])
        let items = RecordedURL(end.location ?? "").queryItems
        #expect(items.first(name) != nil && items.first("state") == "MyOwnState42")
        #expect(items.first("error") == (name == "error" ? "access_denied" : nil))
    }

    /// A form of consent that goes to the authorization endpoint with half of the request (Doorkeeper without the nonce).
    @Test(arguments: ["code=0123456789abcdefABCDEF", "error=access_denied"])
    func formThatLeavesTheNonceOutGoesOn(recorded: String) throws {
        func half(_ state: String) -> [(String, String)] {
            [
                ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", "https://shop.example/cb"),
                ("scope", "openid"), ("state", state),
            ]
        }
        var builder = Self.askingWho()
        builder.post(
            "https://id.example/in",
            [("user", "alice"), ("pw", "open sesame")],
            302,
            answer: [("Location", PlayedPagesTests.authorize)]
        )
        let fields = half("RecordedState1").map { "<input type=hidden name=\($0) value=\"\($1)\">" }.joined()
        builder.get(
            PlayedPagesTests.authorize,
            body: .html("<form method=post action=/auth>\(fields)<button>OK</button></form>")
        )
        builder.post(
            "https://id.example/auth",
            half("RecordedState1"),
            302,
            answer: [("Location", "https://shop.example/cb?\(recorded)&state=RecordedState1")]
        )
        let provider = try RecordedProviderTests.provider(builder.capture) { $0.isAsRecorded = true }
        let caller = Caller(provider)
        _ = caller.get(PlayedPagesTests.base + "/auth", PlayedPagesTests.request("MyOwnState42"))
        _ = caller.get(PlayedPagesTests.base + "/in", [])
        _ = caller.post(PlayedPagesTests.base + "/in", [("user", "alice"), ("pw", "open sesame")])
        #expect(
            caller.get(PlayedPagesTests.base + "/auth", PlayedPagesTests.request("MyOwnState42")).status
                == 200
        )
        let end = caller.post(PlayedPagesTests.base + "/auth", half("MyOwnState42"))
        let items = RecordedURL(end.location ?? "").queryItems
        #expect(items.first(recorded.hasPrefix("code") ? "code" : "error") != nil)
        #expect(items.first("state") == "MyOwnState42")
    }

    @Test(arguments: [("yes", "access_token", nil), ("no", "error", "access_denied")])
    func deviceThatIsRefusedHearsOfIt(answer: String, name: String, error: String?) throws {
        let grant = "urn:ietf:params:oauth:grant-type:device_code"
        var builder = CaptureBuilder()
        builder.post(
            "https://id.example/device_authorization",
            [("client_id", "tv")],
            body: .json(
                #"{"device_code":"0123456789abcdefABCDEF","user_code":"WDJB-MJHT","verification_uri":"https://id.example/device","interval":0}"#
            )
        )
        Self.consenting(at: "https://id.example/device", &builder, "https://id.example/done")
        builder.get("https://id.example/done", body: .html("Done"))
        builder.post(
            "https://id.example/token",
            [("grant_type", grant), ("client_id", "tv"), ("device_code", "0123456789abcdefABCDEF")],
            body: .json(#"{"access_token":"AccessToken0123456789","token_type":"Bearer"}"#)
        )
        let caller = Caller(try RecordedProviderTests.provider(builder.capture))
        let started = caller.json(
            caller.post(PlayedPagesTests.base + "/device_authorization", [("client_id", "tv")])
        )
        _ = caller.get(PlayedPagesTests.base + "/device", [])
        _ = caller.post(PlayedPagesTests.base + "/in", [("user", "alice"), ("pw", "open sesame")])
        _ = caller.get(PlayedPagesTests.base + "/agree", [])
        _ = caller.post(PlayedPagesTests.base + "/agree", [("tx", "c0ffee1234567890"), ("answer", answer)])
        let code = try #require(started["device_code"]?.string)
        let end = caller.json(
            caller.post(
                PlayedPagesTests.base + "/token",
                [("grant_type", grant), ("client_id", "tv"), ("device_code", code)]
            )
        )
        #expect(end[name] != nil && end["error"]?.string == error)
    }
}
