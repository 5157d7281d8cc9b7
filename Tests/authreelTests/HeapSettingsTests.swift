#if os(Linux)
import Foundation
import Testing

@testable import authreel

/// What glibc would keep for the next one.
struct HeapSettingsTests {
    /// Whether a block has a mapping of its own, which goes with it: the second bit of the size before it (`malloc/malloc.c`
    /// of glibc, `IS_MMAPPED`).
    private static func isMapped(_ block: UnsafeMutableRawPointer) -> Bool {
        (block - MemoryLayout<UInt>.size).load(as: UInt.self) & 2 != 0
    }

    /// After several were freed, which would have raised the size from which they are given back.
    @Test func aLargeBlockGoesWhenItIsFreedHoweverManyThereWere() throws {
        HeapSettings.setForRecording()
        for size in [1, 4, 16, 31, 31] {
            let block = try #require(malloc(size << 20))
            memset(block, 1, size << 20)
            free(block)
        }
        // So large that what other tests freed rarely lies together as one; without the setting all have the heap grow.
        let blocks = try (0..<24).map { _ in try #require(malloc(30 << 20)) }
        #expect(blocks.count(where: Self.isMapped) > 12)
        for block in blocks { free(block) }
        let small = try #require(malloc(1000))
        #expect(!Self.isMapped(small))
        free(small)
    }
}
#endif
