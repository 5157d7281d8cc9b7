import Testing

@testable import Sharing

struct CleanDepthsTests {
    /// Further down fewer encodings are undone: nothing is found that was not found above.
    @Test func whatHoldsNothingHoldsNothingFurtherDown() throws {
        var clean = CleanDepths()
        let text = Array(String(repeating: "a+b&amp;c\\n ", count: 20).utf8)
        let key = try #require(clean.key(of: text))
        #expect(!clean.isClean(key, at: 3))
        clean.insert(key, at: 2)
        #expect((0...3).map { clean.isClean(key, at: $0) } == [false, false, true, true])
        clean.insert(key, at: 1)
        clean.insert(key, at: 3)
        #expect((0...3).map { clean.isClean(key, at: $0) } == [false, true, true, true])
        #expect(clean.key(of: text) == key && clean.key(of: Array(text.dropLast())) != key)
        #expect(clean.key(of: Array("a+b".utf8)) == nil)
    }
}
