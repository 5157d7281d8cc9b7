import JSON

/// Which of several captures are one and the same, as where a folder holds a file many times.
enum EqualCaptures {
    /// For each capture the first that is equal to it in all that was read: itself where there is none before it.
    ///
    /// What is read of them is looked at by its hash, which is of this process only. Those whose entries were not read from a
    /// file are equal to none.
    ///
    /// `marks`: of each of the captures; where these differ nothing is read again.
    static func firsts(_ captures: [Capture], _ marks: [CaptureMarks]) -> [Int] {
        var firsts = Array(captures.indices)
        let alike = Dictionary(grouping: captures.indices) { Signs(count: captures[$0].count, marks[$0]) }
        for group in alike.values where group.count > 1 {
            var known: [[Int]: Int] = [:]
            for index in group.sorted() {
                guard let digest = digest(of: captures[index]) else { continue }
                firsts[index] = known[digest] ?? index
                known[digest] = firsts[index]
            }
        }
        return firsts
    }

    /// What is at hand of a capture.
    private struct Signs: Hashable {
        var count: Int
        var keys: [Int]
        var starts: [Int64?]

        init(count: Int, _ marks: CaptureMarks) {
            self.count = count
            keys = marks.keys
            starts = marks.spans.map { $0?.start }
        }
    }

    /// Two hashes: of as many files as there may be, no two are equal by chance.
    private static func digest(of capture: Capture) -> [Int]? {
        var hashers = [Hasher(), Hasher()]
        hashers[1].combine(0)
        func add(_ text: [UInt8]) {
            for index in hashers.indices {
                hashers[index].combine(text.count)
                text.withUnsafeBytes { hashers[index].combine(bytes: $0) }
            }
        }
        add(JSONWriter.bytes(of: .object(capture.logMembers)))
        for index in capture.indices {
            guard let text = capture.text(ofEntry: index) else { return nil }
            add(text)
        }
        return hashers.map { $0.finalize() }
    }
}
