import JOSE
import Testing

@testable import Sharing

struct NumberedFieldsTests {
    @Test func nameOfACookieInsideOfItIsNoSecret() {
        let value =
            "2|1:0|10:1795651262|11:oauth_state|48:MjI5NmIwMTMtZjgyNy00MGFlLTlmMzItZWI0ZDM0MDM4MmJm|cdc89e59"
        let joints = NumberedFields.joints(in: value) { $0 == "oauth_state" }
        #expect(joints == ["|11:oauth_state|48:"])
    }

    @Test func timeOfACookieInBase64IsNoSecret() {
        let value = "2|1:0|10:1796001811|5:_xsrf|8:MjI5NmIw|cdc89e59"
        #expect(NumberedFields.times(in: Base64URL.encode(Array(value.utf8))) == ["|10:1796001811|"])
        #expect(NumberedFields.times(in: value).isEmpty)
        #expect(NumberedFields.times(in: Base64URL.encode(Array("2|10:179600181|3:abc|x".utf8))).isEmpty)
    }

    /// A token of the same login tells a time next to it, of which fourteen characters of base64 are the same.
    @Test func timeIsNoSecretBesideACookieThatTellsItWithoutBase64() throws {
        let form = Base64URL.encode(
            Array("2|1:0|10:1796001581|5:_xsrf|16:MjI5NmIwMTMtZjgy|cdc89e5907aa41d2".utf8)
        )
        let session =
            "2|1:0|10:1796001581|3:hub|16:YjVhYTdlZTEyOGY0|65c3ce621762e008081fb36b381f2519"
        let token = [#"{"alg":"HS256"}"#, #"{"at":1796001580,"sub":"kiravel-7"}"#].map {
            Base64URL.encode(Array($0.utf8))
        }
        var world = try SharingWorld()
        world.options.keepsAll = true
        world.append(
            "https://api.example.net/x",
            headers: [("Cookie", "_xsrf=\(form); hub=\"\(session)\"")],
            type: "application/json",
            body: #"{"access_token":"\#(token.joined(separator: "."))."#
                + #"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"}"#
        )
        #expect(try SharingWorld.outcome(of: world.capture(), world.options).isProven)
    }

    @Test(arguments: ["a|b|c", "2|12:oauth_state|1:a", "11:oauth_state", "", "|||"])
    func otherTextHasNone(value: String) { #expect(NumberedFields.joints(in: value) { _ in true }.isEmpty) }
}
