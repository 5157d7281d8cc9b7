#if os(Linux)
import Foundation
import Testing

@testable import authreel

struct StartupPagesTests {
    /// Kilobytes of files that are mapped (`RssFile` of proc(5)).
    private static func mapped() throws -> Int {
        let line = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
            .first {
                $0.hasPrefix("RssFile:")
            }
        return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }

    @Test func codeThatIsNotNeededIsGoneAndComesBackWhenItIs() throws {
        let before = try Self.mapped()
        StartupPages.unmap()
        let after = try Self.mapped()
        // Other tests need theirs again at once.
        #expect(after < before / 2)
        #expect(try #require(URL(string: "https://idp.example/a?b=c")).query() == "b=c")
    }
}
#endif
