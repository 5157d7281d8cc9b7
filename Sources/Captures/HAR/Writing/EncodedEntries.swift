/// Exchanges as they are written into a capture: an entry a line, and the end of the file behind them.
package struct EncodedEntries: Sendable {
    /// Begins with the comma that the first entry of a file has not, ends with the file's tail.
    let bytes: [UInt8]
    /// Bodies that are in files, where they belong among the bytes, in this order.
    let spooled: [SpooledText]
    /// Where each entry begins among the bytes, bodies in files not counted.
    let starts: [Int]
    package var count: Int { starts.count }

    /// Stands before each entry.
    static let separator: [UInt8] = [0x2c, 0x0a]

    /// What it takes to keep them: memory, and descriptors as if they were memory.
    var weight: Int { bytes.count + spooled.count << 16 }

    /// - Parameters:
    ///   - exchanges: in the order of the entries.
    ///   - facts: of the connections that had entries before.
    ///   - original: what one of the exchanges was read from, by its index; nil where it is not to be as that was.
    init(
        _ exchanges: [Exchange],
        _ facts: inout FactsText,
        original: ((Int) -> OriginalEntry?)? = nil
    ) {
        var bytes: [UInt8] = []
        var spooled: [SpooledText] = []
        bytes.reserveCapacity(exchanges.count * 4096)
        var starts: [Int] = []
        starts.reserveCapacity(exchanges.count)
        for index in exchanges.indices {
            bytes.append(contentsOf: Self.separator)
            starts.append(bytes.count)
            if let original = original?(index) {
                original.append(exchanges[index], &facts, to: &bytes, &spooled)
            } else {
                HAREntry.append(exchanges[index], &facts, to: &bytes, &spooled)
            }
        }
        bytes.append(contentsOf: CaptureFile.tail)
        self.bytes = bytes
        self.spooled = spooled
        self.starts = starts
    }
}
