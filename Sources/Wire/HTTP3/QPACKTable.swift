internal import Captures

/// What field sections refer to: the fields that a sender has put into the table of its direction (RFC 9204, section 3.2).
struct QPACKTable {
    typealias Field = HeaderFields.Field

    /// What the other end allows (`SETTINGS_QPACK_MAX_TABLE_CAPACITY`); nil where it has not said so.
    var allowed: Int?
    /// Fields that were ever put into it.
    private(set) var inserted = 0
    private(set) var capacity = 0
    /// As large as the table ever was.
    private var largestCapacity = 0
    private(set) var size = 0
    /// Those that are still there; the oldest first, behind those that are gone.
    private var fields: [Field] = []
    private var gone = 0

    private static let largest = 256 << 10

    /// The sender uses so much of it from now on.
    mutating func setCapacity(_ bytes: Int) throws(QPACKReader.Malformed) {
        guard bytes <= min(allowed ?? Self.largest, Self.largest) else {
            throw QPACKReader.Malformed(reason: "a table of \(bytes) bytes")
        }
        capacity = bytes
        largestCapacity = max(largestCapacity, bytes)
        evict(down: capacity)
    }

    mutating func insert(_ field: Field) throws(QPACKReader.Malformed) {
        guard field.tableSize <= capacity else {
            throw .noRoom
        }
        evict(down: capacity - field.tableSize)
        fields.append(field)
        size += field.tableSize
        inserted += 1
    }

    /// Nothing is left in it.
    mutating func empty() { evict(down: 0) }

    private mutating func evict(down bytes: Int) {
        while size > bytes, gone < fields.count {
            size -= fields[gone].tableSize
            fields[gone] = Field(name: "", value: "")
            gone += 1
        }
        // Not each time: what is left would be moved.
        guard gone > 64, gone > fields.count / 2 else { return }
        fields.removeFirst(gone)
        gone = 0
    }

    /// By its number, from 0, among all that were ever inserted; nil where it is not there.
    func field(_ number: Int) -> Field? {
        let index = number - inserted + fields.count
        return number < inserted && index >= gone ? fields[index] : nil
    }

    /// How many fields must be there for a section that begins with this number (section 4.5.1.1).
    ///
    /// Nil where the size of the table is not known, on which it depends.
    func requiredInserts(_ encoded: Int) throws(QPACKReader.Malformed) -> Int? {
        guard encoded > 0 else { return 0 }
        // Numbers do not begin again within one filling of the table, and it is not smaller than it was.
        guard let allowed else { return inserted < largestCapacity / 32 ? encoded - 1 : nil }
        let entries = allowed / 32
        guard encoded <= 2 * entries else {
            throw QPACKReader.Malformed(reason: "a field section that needs more than the table may have")
        }
        let most = inserted + entries
        var count = most / (2 * entries) * 2 * entries + encoded - 1
        if count > most { count -= 2 * entries }
        guard count > 0 else { throw QPACKReader.Malformed(reason: "a field section that needs no fields") }
        return count
    }

    /// The same, where nothing more will be inserted, or be said of the size of the table.
    func requiredInsertsAtTheEnd(_ encoded: Int) throws(QPACKReader.Malformed) -> Int {
        if let required = try requiredInserts(encoded) { return required }
        guard inserted < largestCapacity / 32 * 2 else {
            throw QPACKReader.Malformed(
                reason: "SETTINGS, which say how they are numbered, are not in the capture"
            )
        }
        return encoded - 1
    }
}

extension HeaderFields.Field {
    /// Bytes that it is counted with (RFC 7541, section 4.1).
    var tableSize: Int { sentName.count + sentValue.count + 32 }
}
