internal import Captures

/// What header blocks refer to: the fields that a sender has put into the table of its direction (RFC 7541, section 2.3.2; RFC 9204,
/// section 3.2).
struct FieldTable {
    typealias Field = HeaderFields.Field

    /// What the other end allows (`SETTINGS_QPACK_MAX_TABLE_CAPACITY`); nil where it has not said so, and in HTTP/2.
    var allowed: Int?
    /// Fields that were ever put into it.
    private(set) var inserted = 0
    private(set) var capacity = 0
    /// As large as the table ever was.
    private(set) var largestCapacity = 0
    private(set) var size = 0
    /// Those that are still there; the oldest first, behind those that are gone.
    private var fields: [Field] = []
    private var gone = 0

    private static let largest = 256 << 10

    /// The sender uses so much of it from now on.
    mutating func setCapacity(_ bytes: Int) throws(FieldReader.Malformed) {
        guard bytes <= min(allowed ?? Self.largest, Self.largest) else {
            throw FieldReader.Malformed(reason: "a table of \(bytes) bytes")
        }
        capacity = bytes
        largestCapacity = max(largestCapacity, bytes)
        evict(down: capacity)
    }

    mutating func insert(_ field: Field) throws(FieldReader.Malformed) {
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
}

extension HeaderFields.Field {
    /// Bytes that it is counted with (RFC 7541, section 4.1).
    var tableSize: Int { sentName.count + sentValue.count + 32 }
}
