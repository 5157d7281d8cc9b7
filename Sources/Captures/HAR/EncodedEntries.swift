/// Exchanges as they are written into a capture: an entry a line, and the end of the file behind them.
package struct EncodedEntries: Sendable {
    /// Begins with the comma that the first entry of a file has not, ends with the file's tail.
    let bytes: [UInt8]
    package let count: Int

    /// `facts`: of the connections that had entries before.
    init(_ exchanges: [Exchange], _ facts: inout FactsText) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(exchanges.count * 4096)
        for index in exchanges.indices {
            bytes.append(0x2c)
            bytes.append(0x0a)
            HAREntry.append(exchanges[index], &facts, to: &bytes)
        }
        bytes.append(contentsOf: CaptureWriter.tail)
        self.bytes = bytes
        count = exchanges.count
    }
}
