/// Standard output for much text: written in blocks.
///
/// Everything throws what ``StandardOutput/write(_:)`` throws.
struct OutputBuffer {
    private var bytes: [UInt8] = []

    mutating func line(_ text: String) throws {
        try append(text)
        bytes.append(0x0a)
    }

    mutating func append(_ text: String) throws {
        bytes.append(contentsOf: text.utf8)
        if bytes.count > 1 << 16 { try flush() }
    }

    mutating func flush() throws {
        try StandardOutput.write(bytes[...])
        bytes.removeAll(keepingCapacity: true)
    }
}
