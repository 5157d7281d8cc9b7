@testable import Packets
import TestSupport
import Testing

/// Bytes of a stream in whatever order they come.
struct QUICByteStreamTests {
    private static func taken(_ stream: inout QUICByteStream) -> [UInt8] {
        var bytes: [UInt8] = []
        while let next = stream.next() { bytes += next }
        return bytes
    }

    @Test func bytesBehindAGapWait() {
        var stream = QUICByteStream()
        stream.add([4, 5], at: 3, isLast: true)
        #expect(stream.next() == nil && stream.hasGap && !stream.isComplete && stream.held > 2)
        stream.add([1, 2, 3], at: 0)
        #expect(Self.taken(&stream) == [1, 2, 3, 4, 5])
        #expect(stream.isComplete && !stream.hasGap && stream.held == 0)
    }

    @Test func whatComesAgainIsGivenOnce() {
        var stream = QUICByteStream()
        stream.add([1, 2, 3], at: 0)
        #expect(Self.taken(&stream) == [1, 2, 3])
        stream.add([1, 2, 3, 4], at: 0)
        stream.add([2, 3], at: 1)
        #expect(Self.taken(&stream) == [4])
        stream.add([7, 8], at: 6)
        stream.add([5, 6, 7, 8, 9], at: 4)
        #expect(Self.taken(&stream) == [5, 6, 7, 8, 9])
    }

    @Test func streamMayEndWithoutMoreBytes() {
        var stream = QUICByteStream()
        stream.add([1], at: 0)
        _ = stream.next()
        #expect(!stream.isComplete)
        stream.add([], at: 1, isLast: true)
        #expect(stream.isComplete && stream.next() == nil)
    }

    /// Whatever comes behind a gap, in its order or against it, costs what its bytes cost.
    @Test(arguments: [false, true]) func piecesBehindAGapCostNoMoreThanTheirBytes(isBackwards: Bool) {
        func time(_ count: Int) -> Double {
            ProcessorTime.seconds {
                for _ in 0..<(isBackwards ? count / 500 : 1) {
                    var stream = QUICByteStream()
                    let pieces = isBackwards ? 1000 : count
                    for number in 0..<pieces {
                        stream.add([1], at: isBackwards ? 10_000 - number : 1 + number)
                    }
                    #expect(stream.next() == nil && stream.held > pieces)
                }
            }
        }
        _ = time(1000)
        // What others do meanwhile makes memory slower, and never faster.
        #expect((0..<3).contains { _ in time(40_000) < time(10_000) * 16 })
    }

    @Test func scatteredPiecesAreTold() {
        var stream = QUICByteStream()
        for number in 0..<1024 { stream.add([1], at: 1 + 2 * number) }
        #expect(!stream.isScattered)
        stream.add([1], at: 9999)
        #expect(stream.isScattered)
        // What fills the gaps brings them together again.
        for number in 0..<1024 { stream.add([2], at: 2 * number) }
        #expect(Self.taken(&stream).count == 2048 && !stream.isScattered)
    }

    /// The end of a stream is given once, with its last bytes or behind them.
    @Test(arguments: 0..<200) func endIsGivenOnce(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        var streams = QUICStreams()
        var (got, ends): ([UInt8], Int) = ([], 0)
        func add(_ range: Range<Int>, isLast: Bool) {
            let isFollowed = streams.take(bytes[range], of: 4, at: range.lowerBound, isLast: isLast) {
                got += $0
                if $1 { ends += 1 }
                #expect(ends == 0 || got == bytes)
            }
            #expect(isFollowed)
        }
        for _ in 0..<30 {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = Int.random(in: start...min(bytes.count, start + 60), using: &random)
            add(start..<end, isLast: end == bytes.count && Bool.random(using: &random))
        }
        add(0..<bytes.count, isLast: false)
        add(max(0, bytes.count - 3)..<bytes.count, isLast: true)
        #expect(got == bytes && ends == 1 && streams.held == 0 && !streams.hasGaps)
    }

    @Test(arguments: 0..<200) func anyPiecesAreTheSameBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 1...300, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        var stream = QUICByteStream()
        var got: [UInt8] = []
        func add(_ range: Range<Int>) {
            stream.add(bytes[range], at: range.lowerBound, isLast: range.upperBound == bytes.count)
            #expect(stream.held >= 0)
            got += Self.taken(&stream)
        }
        for _ in 0..<Int.random(in: 0...60, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            add(start..<Int.random(in: start...min(bytes.count, start + 40), using: &random))
        }
        #expect(Array(bytes.prefix(got.count)) == got)
        add(0..<bytes.count)
        #expect(got == bytes && stream.isComplete && stream.held == 0 && !stream.hasGap)
    }
}
