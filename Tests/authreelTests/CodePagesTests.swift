#if os(Linux)
import Foundation
import Testing

@testable import authreel

struct CodePagesTests {
    /// Kilobytes of code that is mapped from shared libraries (`Rss` of proc(5)), the last of which are far down in the list.
    private static func mapped() throws -> Int {
        let list = try #require(try FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd())
        var isOfLibrary = false
        return String(decoding: list, as: UTF8.self).split(separator: "\n").reduce(0) { sum, line in
            let words = line.split(whereSeparator: \.isWhitespace)
            if words[0].contains("-") { isOfLibrary = words[1] == "r-xp" && line.contains(".so") }
            return sum + (isOfLibrary && words[0] == "Rss:" ? Int(words[1]) ?? 0 : 0)
        }
    }

    @Test func codeThatIsNotNeededIsGoneAndComesBackWhenItIs() throws {
        let before = try Self.mapped()
        // Other tests need theirs again at once.
        let isGone = try (0..<20).contains { _ in
            CodePages.unmap()
            return try Self.mapped() < before * 3 / 4
        }
        #expect(isGone)
        #expect(try #require(URL(string: "https://idp.example/a?b=c")).query() == "b=c")
    }
}
#endif
