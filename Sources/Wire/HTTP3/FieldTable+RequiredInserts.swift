internal import Captures

extension FieldTable {
    /// How many fields must be there for a section that begins with this number (RFC 9204, section 4.5.1.1).
    ///
    /// Nil where the size of the table is not known, on which it depends.
    func requiredInserts(_ encoded: Int) throws(FieldReader.Malformed) -> Int? {
        guard encoded > 0 else { return 0 }
        // Numbers do not begin again within one filling of the table, and it is not smaller than it was.
        guard let allowed else { return inserted < largestCapacity / 32 ? encoded - 1 : nil }
        let entries = allowed / 32
        guard encoded <= 2 * entries else {
            throw FieldReader.Malformed(reason: "a field section that needs more than the table may have")
        }
        let most = inserted + entries
        var count = most / (2 * entries) * 2 * entries + encoded - 1
        if count > most { count -= 2 * entries }
        guard count > 0 else { throw FieldReader.Malformed(reason: "a field section that needs no fields") }
        return count
    }

    /// The same, where nothing more will be inserted, or be said of the size of the table.
    func requiredInsertsAtTheEnd(_ encoded: Int) throws(FieldReader.Malformed) -> Int {
        if let required = try requiredInserts(encoded) { return required }
        guard inserted < largestCapacity / 32 * 2 else {
            throw FieldReader.Malformed(
                reason: "SETTINGS, which say how they are numbered, are \(AnswerLoss.notCaptured)"
            )
        }
        return encoded - 1
    }
}
