/// Exchanges as they are written into a capture: an entry a line, and the end of the file behind them.
package struct EncodedEntries: Sendable {
    /// Begins with the comma that the first entry of a file has not, ends with the file's tail.
    let bytes: [UInt8]
    /// Bodies that are in files, where they belong among the bytes, in this order.
    let spooled: [SpooledText]
    package let count: Int

    /// What it takes to keep them: memory, and descriptors as if they were memory.
    var weight: Int { bytes.count + spooled.count << 16 }

    /// `facts`: of the connections that had entries before.
    init(_ exchanges: [Exchange], _ facts: inout FactsText) {
        var bytes: [UInt8] = []
        var spooled: [SpooledText] = []
        bytes.reserveCapacity(exchanges.count * 4096)
        for index in exchanges.indices {
            bytes.append(0x2c)
            bytes.append(0x0a)
            HAREntry.append(exchanges[index], &facts, to: &bytes, &spooled)
        }
        bytes.append(contentsOf: CaptureFile.tail)
        self.bytes = bytes
        self.spooled = spooled
        count = exchanges.count
    }
}
