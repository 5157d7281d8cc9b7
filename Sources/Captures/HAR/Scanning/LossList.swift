/// What of a file could not be used: the first 200 of it, and how many more there are.
struct LossList {
    private(set) var told: [Capture.Loss] = []
    private var untold = 0

    private static let most = 200

    /// Where a file ends before its time is always told.
    mutating func append(_ loss: Capture.Loss) {
        if told.count < Self.most || loss.isEnd { told.append(loss) } else { untold += 1 }
    }

    /// Those that are told, and then the number of the others.
    var all: [Capture.Loss] { told + [others].compactMap(\.self) }

    /// The number of those that are not told, at the last one that is; nil where all are.
    var others: Capture.Loss? {
        guard untold > 0, let last = told.last else { return nil }
        return Capture.Loss(offset: last.offset, line: last.line, what: "and \(untold) more like these")
    }
}
