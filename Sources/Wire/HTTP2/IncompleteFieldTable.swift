internal import NIOCore
internal import NIOHPACK

/// Decodes header blocks of a direction some of whose blocks are not known (RFC 7541).
///
/// Fields are referred to by how long ago they were added to the table: what has been added since is known, what was
/// before is not. Nothing is guessed: a field that refers to an unknown one is counted, and left out.
struct IncompleteFieldTable {
    /// What cannot stand in a field's name, for one that is not known.
    private static let unknownName: UInt8 = 0x3f
    private static let staticEntries = 61

    private var decoder: HPACKDecoder
    /// Entries of the table that are known.
    private var known = 0

    /// Nothing of what was said before is known.
    init() {
        decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(),
            // As large as any: what is still there for the sender is still there here.
            maxDynamicTableSize: HTTP2Direction.maximumTableBytes,
            maxHeaderListSize: FrameReader.maximumHeaderBlock
        )
    }

    /// The fields of a block, and how many more there are that are not known.
    mutating func decode(_ block: ByteBuffer) throws -> (fields: HPACKHeaders, unknown: Int) {
        var unknown = 0
        var bytes = try block.withUnsafeReadableBytes { raw in
            try complete(raw.bindMemory(to: UInt8.self), &unknown)
        }
        var fields = HPACKHeaders()
        for (name, value, indexing) in try decoder.decodeHeaders(from: &bytes) {
            if name.utf8.first == Self.unknownName { continue }
            fields.add(name: name, value: value, indexing: indexing)
        }
        return (fields, unknown)
    }

    private struct Malformed: Error {}

    /// The block without what refers to unknown entries.
    private mutating func complete(
        _ block: UnsafeBufferPointer<UInt8>,
        _ unknown: inout Int
    ) throws -> ByteBuffer {
        var output = ByteBuffer()
        output.reserveCapacity(block.count + 64)
        var index = 0
        while index < block.count {
            let start = index
            let first = block[index]
            if first & 0x80 != 0 {
                // Name and value of an entry (section 6.1).
                let entry = try Self.integer(block, &index, bits: 7)
                if isKnown(entry) { output.writeBytes(block[start..<index]) } else { unknown += 1 }
                continue
            }
            if first & 0xe0 == 0x20 {
                // The size of the table (section 6.3): there is room for any.
                _ = try Self.integer(block, &index, bits: 5)
                continue
            }
            let isAdded = first & 0x40 != 0
            let entry = try Self.integer(block, &index, bits: isAdded ? 6 : 4)
            if isKnown(entry) || entry == 0 {
                output.writeBytes(block[start..<index])
                if entry == 0 { output.writeBytes(try Self.string(block, &index)) }
            } else {
                unknown += 1
                output.writeBytes([isAdded ? 0x40 : 0, 1, Self.unknownName])
            }
            output.writeBytes(try Self.string(block, &index))
            // Where a name is not known the entry has its place all the same.
            if isAdded { known += 1 }
        }
        return output
    }

    private func isKnown(_ entry: Int) -> Bool { entry > 0 && entry <= Self.staticEntries + known }

    /// An integer with a prefix of so many bits (section 5.1).
    private static func integer(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, bits: Int) throws
        -> Int
    {
        guard index < bytes.count else { throw Malformed() }
        let most = 1 << bits - 1
        var value = Int(bytes[index]) & most
        index += 1
        guard value == most else { return value }
        for shift in stride(from: 0, through: 28, by: 7) {
            guard index < bytes.count else { throw Malformed() }
            let byte = bytes[index]
            index += 1
            value += Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Malformed()
    }

    /// A string as it stands there (section 5.2).
    private static func string(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) throws
        -> UnsafeBufferPointer<UInt8>
    {
        let start = index
        let length = try integer(bytes, &index, bits: 7)
        guard length <= bytes.count - index else { throw Malformed() }
        index += length
        return UnsafeBufferPointer(rebasing: bytes[start..<index])
    }
}
