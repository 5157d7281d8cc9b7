import Testing

@testable import Sharing

/// What attributes are given that a framework of pages binds.
struct BoundAttributeTests {
    private static func told(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return SlotReader.slots(in: bytes[...], as: .html).filter { !$0.name.isEmpty }.map {
            "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
    }

    @Test(arguments: [
        (
            "<x-user :family-name=\"'Quill'\" v-bind:given-name=\"'Ada'\" [nickname]=\"'Adi'\">",
            ["family-name=Quill", "given-name=Ada", "nickname=Adi"]
        ),
        // Expressions.
        ("<x-user :family-name=\"user.name\" v-bind:given-name=\"'a' + 'b'\" [nickname]=\"'\">", []),
    ])
    func textIsCalledByItsAttribute(text: String, told: [String]) {
        #expect(Self.told(text) == told)
    }
}
