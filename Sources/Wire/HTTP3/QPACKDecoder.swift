internal import Captures

/// The header fields of one direction of an HTTP/3 connection (RFC 9204).
///
/// Listens to the sender's encoder stream for the fields that its sections refer to.
struct QPACKDecoder {
    typealias Malformed = FieldReader.Malformed
    typealias Field = FieldTable.Field

    enum Section: Equatable {
        case fields([Field])
        /// It refers to fields that have not come: readable when so many were inserted, nil where the other side has not yet
        /// said how large the table may be.
        case blocked(until: Int?)
    }

    var table = FieldTable()
    /// The beginning of an instruction whose end has not come.
    private var rest: [UInt8] = []

    /// Bytes that it keeps.
    var held: Int { table.size + rest.count }

    /// Takes the next instruction off the front of the encoder stream's bytes (section 4.3).
    ///
    /// - Returns: whether there was a whole one; the rest is kept otherwise, and nothing is left of the bytes.
    mutating func receive(_ bytes: inout ArraySlice<UInt8>) throws(Malformed) -> Bool {
        // Appended to, as what has come may be long and what comes short.
        if !rest.isEmpty {
            rest += bytes
            bytes = []
        }
        var input = rest.isEmpty ? bytes : rest[...]
        guard !input.isEmpty, try instruction(&input) else {
            if rest.isEmpty { rest = Array(bytes) }
            bytes = []
            return false
        }
        rest = []
        bytes = input
        return true
    }

    /// False where its end has not come.
    private mutating func instruction(_ input: inout ArraySlice<UInt8>) throws(Malformed) -> Bool {
        guard let first = input.first else { return false }
        let name: SentText
        let value: FieldReader.Text
        switch first {
        case 0x80...:
            guard let index = try FieldReader.integer(&input, bits: 6), let text = try text(&input, bits: 7)
            else { return false }
            name = first & 0x40 != 0 ? try Self.fixed(index).sentName : try recent(index).sentName
            value = text
        case 0x40...:
            // Decoded once both are whole.
            guard let coded = try text(&input, bits: 5), let text = try text(&input, bits: 7) else {
                return false
            }
            name = try coded.sent()
            value = text
        case 0x20...:
            guard let capacity = try FieldReader.integer(&input, bits: 5) else { return false }
            try table.setCapacity(capacity)
            return true
        default:
            guard let index = try FieldReader.integer(&input, bits: 5) else { return false }
            try table.insert(try recent(index))
            return true
        }
        try table.insert(Field(name: name, value: try value.sent()))
        return true
    }

    /// A string for the table.
    private func text(_ input: inout ArraySlice<UInt8>, bits: Int) throws(Malformed) -> FieldReader.Text? {
        try FieldReader.text(&input, bits: bits, room: table.capacity)
    }

    /// The fields of a section, which is whole (section 4.5).
    ///
    /// `needed`: insertions that it was said to need when it came; nil the first time, and where that could not be said.
    mutating func decode(_ section: ArraySlice<UInt8>, needed: Int? = nil) throws(Malformed) -> Section {
        let prefix = try Prefix(section)
        // What is sent goes round; counted from a later state of the table it would be another number.
        var required = needed
        if required == nil { required = try table.requiredInserts(prefix.encoded) }
        guard let required else { return .blocked(until: nil) }
        guard required <= table.inserted else { return .blocked(until: required) }
        let (fields, unknown) = try lines(prefix.lines, base: prefix.base(required))
        guard unknown == 0 else { throw .notInTable }
        return .fields(fields)
    }

    /// The fields of a section, where nothing more will be inserted, and how many are not known as they were not inserted.
    mutating func decodeAtTheEnd(
        _ section: ArraySlice<UInt8>,
        needed: Int?
    ) throws(Malformed) -> (fields: [Field], unknown: Int) {
        let prefix = try Prefix(section)
        var required = needed
        if required == nil { required = try table.requiredInsertsAtTheEnd(prefix.encoded) }
        return try lines(prefix.lines, base: prefix.base(required ?? 0))
    }

    /// What a section begins with (section 4.5.1).
    private struct Prefix {
        let encoded: Int
        let isNegative: Bool
        let delta: Int
        let lines: ArraySlice<UInt8>

        init(_ section: ArraySlice<UInt8>) throws(Malformed) {
            var input = section
            guard let encoded = try FieldReader.integer(&input, bits: 8), let sign = input.first,
                let delta = try FieldReader.integer(&input, bits: 7)
            else { throw Malformed(reason: "a field section without its prefix") }
            self.encoded = encoded
            self.delta = delta
            isNegative = sign & 0x80 != 0
            lines = input
        }

        func base(_ required: Int) -> Int { isNegative ? required - delta - 1 : required + delta }
    }

    private mutating func lines(
        _ lines: ArraySlice<UInt8>,
        base: Int
    ) throws(Malformed) -> (fields: [Field], unknown: Int) {
        var input = lines
        var fields: [Field] = []
        var size = 0
        var unknown = 0
        while !input.isEmpty {
            let before = unknown
            guard let field = try line(&input, base: base, &unknown) else {
                throw Malformed(reason: "a field section that ends too early")
            }
            // A few bytes may stand for many that the table has.
            size += field.tableSize
            guard size <= 2 * FrameReader.maximumHeaderBlock else {
                throw Malformed(reason: "a field section of more than 512 KiB")
            }
            if unknown == before { fields.append(field) }
        }
        return (fields, unknown)
    }

    /// `unknown`: counts it where it has not been inserted.
    private mutating func line(
        _ input: inout ArraySlice<UInt8>,
        base: Int,
        _ unknown: inout Int
    ) throws(Malformed) -> Field? {
        guard let first = input.first else { return nil }
        let name: SentText
        switch first {
        case 0x80...:
            guard let index = try FieldReader.integer(&input, bits: 6) else { return nil }
            return first & 0x40 != 0 ? try Self.fixed(index) : try inserted(base - 1 - index, &unknown)
        case 0x40...:
            guard let index = try FieldReader.integer(&input, bits: 4) else { return nil }
            name =
                first & 0x10 != 0
                ? try Self.fixed(index).sentName : try inserted(base - 1 - index, &unknown).sentName
        case 0x20...:
            guard let text = try FieldReader.text(&input, bits: 3) else { return nil }
            name = try text.sent()
        case 0x10...:
            guard let index = try FieldReader.integer(&input, bits: 4) else { return nil }
            return try inserted(base + index, &unknown)
        default:
            guard let index = try FieldReader.integer(&input, bits: 3) else { return nil }
            name = try inserted(base + index, &unknown).sentName
        }
        guard let value = try FieldReader.text(&input, bits: 7) else { return nil }
        return Field(name: name, value: try value.sent())
    }

    private static func fixed(_ index: Int) throws(Malformed) -> Field {
        guard index < QPACKStaticTable.fields.count else {
            throw Malformed(reason: "a field that the static table does not have")
        }
        return QPACKStaticTable.fields[index]
    }

    /// Counted back from the last one.
    private func recent(_ index: Int) throws(Malformed) -> Field {
        guard let field = table.field(table.inserted - 1 - index) else { throw .notInTable }
        return field
    }

    private func inserted(_ number: Int, _ unknown: inout Int) throws(Malformed) -> Field {
        guard number < table.inserted else {
            unknown += 1
            return Field(name: "", value: "")
        }
        guard let field = table.field(number) else { throw .notInTable }
        return field
    }
}
