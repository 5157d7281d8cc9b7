/// Tells whether a capture may still come out of a stream: a pipe, unlike a file, need not have an end.
///
/// Refuses what begins as something else, and text that goes on for long without an object. Does no IO.
struct StreamJudge {
    /// Where the kind is looked at: noise may look like text in a few bytes, and does not in many.
    private static let judged = [FileKind.recognizedBytes, mostJudged]
    private static let mostJudged = 64 << 10
    /// What programs print before a capture is far less.
    static let longestLead = 16 << 20

    private let isWanted: ([UInt8]) -> Bool
    private var head: [UInt8] = []
    private var count = 0
    private var hasObject = false
    private var isSettled = false

    /// `isWanted`: whether what begins like this is read to its end, although it is no capture.
    init(wanting isWanted: @escaping ([UInt8]) -> Bool) { self.isWanted = isWanted }

    /// Takes the next bytes, and says whether to read on.
    mutating func readsOn(behind piece: ArraySlice<UInt8>) -> Bool {
        guard !isSettled else { return true }
        let before = count
        count += piece.count
        head += piece.prefix(Self.mostJudged - head.count)
        for limit in Self.judged where before < limit && count >= limit {
            switch FileKind(Array(head.prefix(limit))) {
            case .text, FileKind.plainText: continue
            case .other where !isWanted(head): return false
            default:
                isSettled = true
                return true
            }
        }
        hasObject = hasObject || piece.contains(UInt8(ascii: "{"))
        isSettled = hasObject && count >= Self.mostJudged
        return hasObject || count < Self.longestLead
    }
}
