import JSON
import Testing

@testable import Sharing

/// What a sanitizer has left in the place of a secret.
struct SanitizedTests {
    /// In an address it would be half a value, as a blank ends that.
    @Test func markOfASanitizerStaysWhereverItStands() throws {
        let mark = "[code redacted]"
        let text = JSONWriter.text(of: try SharingWorld().document)
            .replacing("cQ8WoqRcna07b9D2fT3CX3J7bzNpG1fR", with: mark)
        let shared = try SharingWorld(document: JSONParser.parse(Array(text.utf8))).shared()
        #expect(shared.differences.isEmpty)
        #expect(text.ranges(of: mark).count == 5)
        #expect(shared.text.ranges(of: mark).count == 5)
    }
}
