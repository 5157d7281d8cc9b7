internal import Captures
internal import NIOCore

/// Header blocks of one direction of an HTTP/2 connection (RFC 7541).
///
/// Keeps the bytes of what is no UTF-8, which also count in the size of the table: with other ones in their place both ends
/// would soon speak of different fields.
struct HeaderBlockDecoder {
    typealias Malformed = FieldReader.Malformed
    typealias Field = HeaderFields.Field

    /// Of the table, where nobody has said anything else (`SETTINGS_HEADER_TABLE_SIZE`).
    static let usualTableBytes = 4096

    private var table = FieldTable()
    /// Whether fields are referred to that were said in blocks that are not known.
    private let isIncomplete: Bool
    /// What the other end allows.
    private(set) var allowedTableBytes: Int

    /// - Parameter tableBytes: up to ``HTTP2Direction/maximumTableBytes``.
    init(tableBytes: Int = usualTableBytes) {
        self.init(tableBytes: tableBytes, isIncomplete: false)
    }

    /// For a direction some of whose blocks are not known.
    ///
    /// What has been added to the table since is known, what was before is not. Nothing is guessed: a field that refers to an unknown one is counted, and left out.
    static var withoutThePast: HeaderBlockDecoder {
        // As large as any: what is still there for the sender is still there here.
        HeaderBlockDecoder(tableBytes: HTTP2Direction.maximumTableBytes, isIncomplete: true)
    }

    private init(tableBytes: Int, isIncomplete: Bool) {
        self.isIncomplete = isIncomplete
        allowedTableBytes = tableBytes
        // It is as large as it may be.
        try? table.setCapacity(tableBytes)
    }

    /// The table may be as large from now on; that it is the sender has to say.
    mutating func allowTable(of bytes: Int) { allowedTableBytes = max(allowedTableBytes, bytes) }

    /// The fields of a block, which is whole, and how many more there are that are not known.
    mutating func decode(_ block: ByteBuffer) throws(Malformed) -> (fields: [Field], unknown: Int) {
        var input = Array(block.readableBytesView)[...]
        var fields: [Field] = []
        fields.reserveCapacity(16)
        var size = 0
        var unknown = 0
        while let first = input.first {
            if first & 0xe0 == 0x20 {
                // At the beginning; two are enough (section 4.2), but some encoders write every one that was asked for.
                guard fields.isEmpty, unknown == 0 else {
                    throw Malformed(reason: "a change of the table's size where there may be none")
                }
                let bytes = try Self.integer(&input, bits: 5)
                if isIncomplete { continue }
                guard bytes <= allowedTableBytes else {
                    throw Malformed(reason: "a table of \(bytes) bytes")
                }
                try table.setCapacity(bytes)
                continue
            }
            let field =
                first & 0x80 != 0 ? try entry(Self.integer(&input, bits: 7)) : try literal(&input, first)
            // A few bytes may stand for many that the table has.
            size += field.tableSize
            guard size <= FrameReader.maximumHeaderBlock else {
                throw Malformed(reason: "fields of more than 256 KiB")
            }
            if field.name.isEmpty { unknown += 1 } else { fields.append(field) }
        }
        return (fields, unknown)
    }

    /// A field that is written out, or its value alone (section 6.2).
    private mutating func literal(_ input: inout ArraySlice<UInt8>, _ first: UInt8) throws(Malformed) -> Field
    {
        let isAdded = first & 0x40 != 0
        let index = try Self.integer(&input, bits: isAdded ? 6 : 4)
        let name = index > 0 ? try entry(index).sentName : try Self.text(&input)
        guard index > 0 || !name.text.isEmpty else { throw Malformed(reason: "a field without a name") }
        // Where a name is not known the field has its place all the same.
        let field = Field(name: name, value: try Self.text(&input))
        if isAdded {
            if field.tableSize > table.capacity {
                // No error: nothing is left in it (section 4.4).
                table.empty()
            } else {
                try table.insert(field)
            }
        }
        return field
    }

    /// Of both tables, which are counted through (section 2.3.3); without a name where it is not known.
    private func entry(_ index: Int) throws(Malformed) -> Field {
        guard index > 0 else { throw .notInTable }
        if index <= HPACKStaticTable.fields.count { return HPACKStaticTable.fields[index - 1] }
        let age = index - HPACKStaticTable.fields.count
        if isIncomplete, age > table.inserted { return Field(name: "", value: "") }
        guard age <= table.inserted, let field = table.field(table.inserted - age) else { throw .notInTable }
        return field
    }

    private static func integer(_ input: inout ArraySlice<UInt8>, bits: Int) throws(Malformed) -> Int {
        guard let value = try FieldReader.integer(&input, bits: bits) else { throw .cutOff }
        return value
    }

    private static func text(_ input: inout ArraySlice<UInt8>) throws(Malformed) -> SentText {
        guard let text = try FieldReader.text(&input, bits: 7) else { throw .cutOff }
        return try text.sent()
    }
}

extension FieldReader.Malformed {
    fileprivate static let cutOff = Self(reason: "it ends too early")
}
