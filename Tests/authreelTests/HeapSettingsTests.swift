import Foundation
import Testing

@testable import authreel

/// What glibc would keep for the next one.
struct HeapSettingsTests {
    #if os(Linux)
    private static func isMapped(_ address: UInt) throws -> Bool {
        try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n").contains {
            line in
            let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            return range.count == 2 && (range[0]..<range[1]).contains(address)
        }
    }

    /// After several were freed, which would have raised the size from which they are given back.
    @Test func aFreedBlockIsGoneHoweverManyThereWere() throws {
        HeapSettings.setForRecording()
        for size in [1, 2, 4, 8, 8] {
            let block = try #require(malloc(size << 20))
            memset(block, 1, size << 20)
            free(block)
        }
        // Another thread may map something at the very same place meanwhile.
        let left = try (0..<5).filter { _ in
            let block = try #require(malloc(4 << 20))
            memset(block, 1, 4 << 20)
            let middle = UInt(bitPattern: block) + (2 << 20)
            free(block)
            return try Self.isMapped(middle)
        }
        #expect(left.count < 3)
    }
    #endif
}
