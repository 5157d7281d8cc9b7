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

    @Test(arguments: ["a|b|c", "2|12:oauth_state|1:a", "11:oauth_state", "", "|||"])
    func otherTextHasNone(value: String) { #expect(NumberedFields.joints(in: value) { _ in true }.isEmpty) }
}
