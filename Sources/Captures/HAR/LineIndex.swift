import Synchronization

/// Tells on which line of a text a byte stands, for many of them: each part of the text is counted once.
final class LineIndex: Sendable {
    private let source: CaptureSource
    /// Lines that end before each block, as far as somebody asked.
    private let known = Mutex<[Int]>([0])

    private static let blockSize = 1 << 14

    init(_ source: CaptureSource) { self.source = source }

    /// From 1.
    func line(of offset: Int) -> Int {
        let block = offset / Self.blockSize
        let before = known.withLock { known in
            while known.count <= block {
                known.append(known[known.count - 1] + feeds(at: known.count - 1, Self.blockSize))
            }
            return known[block]
        }
        return 1 + before + feeds(at: block, offset % Self.blockSize)
    }

    /// Line feeds among the first bytes of a block.
    private func feeds(at block: Int, _ count: Int) -> Int {
        source.bytes(at: block * Self.blockSize, count: count).count { $0 == 0x0a }
    }
}
