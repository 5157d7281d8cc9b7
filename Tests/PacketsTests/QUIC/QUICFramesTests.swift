import Testing

@testable import Packets

/// Frames as RFC 9000, section 19, has them, and those of its extensions.
struct QUICFramesTests {
    /// Acknowledgements, limits, paths, datagrams: what follows them in a packet is read.
    @Test(
        arguments: [
            [0], [1], [0x1e], [0x1f], [2, 9, 0, 0, 0], [2, 9, 0, 1, 0, 1, 1], [3, 9, 0, 0, 0, 1, 1, 1],
            [7, 1, 9], [0x10, 9], [0x11, 4, 9], [0x15, 4, 9], [0x1a, 1, 2, 3, 4, 5, 6, 7, 8],
            [0x1b, 1, 2, 3, 4, 5, 6, 7, 8], [0x31, 2, 8, 8], [0x40, 0xaf, 1, 2, 3, 4],
        ] as [[UInt8]]
    ) func framesOfNoInterestArePassedOver(frame: [UInt8]) {
        var reader = QUICFrameReader(frame + [8, 4, 0x61])
        guard case .stream(let id, _, let content, _)? = reader.next() else {
            Issue.record("the frame behind is not read")
            return
        }
        #expect(id == 4 && content.elementsEqual([0x61]))
    }

    /// Resets without their size, IDs of no length there is, and without the token of theirs.
    @Test(
        arguments: [
            [4, 0, 1], [0x24, 0, 1, 5], [5, 0], [6, 0, 2, 1], [0x18, 1, 0], [0x18, 1, 0, 0],
            [0x18, 1, 0, 1, 7] + [UInt8](repeating: 0, count: 15),
            [0x18, 1, 0, 21] + [UInt8](repeating: 0, count: 40), [0x1c, 2, 0], [0x1d, 2, 1], [0x2f],
        ] as [[UInt8]]
    ) func framesThatAreCutAreNone(frame: [UInt8]) {
        var reader = QUICFrameReader(frame)
        #expect(reader.next() == nil)
    }
}
