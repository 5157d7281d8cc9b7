import Captures
import Testing

struct UUIDTests {
    /// RFC 9562, appendix A.4.
    @Test(arguments: [
        ("919108f7-52d1-4320-9bac-f847db4148a8", true), ("919108F7-52D1-4320-9BAC-F847DB4148A8", true),
        ("919108f7-52d1-4320-9bac-f847db4148a", false), ("919108f7052d1-4320-9bac-f847db4148a8", false),
        ("919108g7-52d1-4320-9bac-f847db4148a8", false), ("919108f752d143209bacf847db4148a8", false),
        ("919108f-752d1-4320-9bac-f847db4148a8", false), ("", false),
    ])
    func isHexadecimalInFiveGroups(text: String, isOne: Bool) {
        #expect(text.utf8.isUUID == isOne)
        #expect(Array(text.utf8).isUUID == isOne)
    }
}
