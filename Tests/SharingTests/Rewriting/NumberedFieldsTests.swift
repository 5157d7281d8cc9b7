import Testing

@testable import Sharing

struct NumberedFieldsTests {
    @Test func nameOfACookieInsideOfItIsNoSecret() {
        let value =
            "2|1:0|10:1795651262|11:oauth_state|48:MjI5NmIwMTMtZjgyNy00MGFlLTlmMzItZWI0ZDM0MDM4MmJm|cdc89e59"
        let joints = NumberedFields.joints(in: value) { $0 == "oauth_state" }
        #expect(joints == ["|11:oauth_state|48:"])
    }

    @Test(arguments: ["a|b|c", "2|12:oauth_state|1:a", "11:oauth_state", "", "|||"])
    func otherTextHasNone(value: String) { #expect(NumberedFields.joints(in: value) { _ in true }.isEmpty) }
}
