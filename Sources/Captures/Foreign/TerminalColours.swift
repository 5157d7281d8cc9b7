/// Text that a program has coloured for a terminal, as `jq -C` does, kept in a file.
///
/// Colours are escape sequences: ESC, `[`, numbers and `m`; `K` ends a line's colour (ECMA-48, sections 8.3.41 and 8.3.117).
enum TerminalColours {
    private static let escape: UInt8 = 0x1b
    /// Longer ones are none.
    private static let longest = 24

    /// Whether there is one before the first object: JSON has no escape character of its own.
    static func isIt(_ source: CaptureSource) -> Bool {
        let head = source.bytes(at: 0, count: 4096)
        guard let first = head.firstIndex(of: escape),
            first < head.firstIndex(of: UInt8(ascii: "{")) ?? head.count
        else { return false }
        var stripper = Stripper()
        return stripper.strip(Array(head[first...])).first != escape
    }

    /// Without them; what else begins with the escape character stays.
    static func convert(_ source: CaptureSource, into text: ScratchText) throws(CaptureError) {
        var stripper = Stripper()
        var offset = 0
        while offset < source.size {
            let window = source.bytes(at: offset, count: 256 << 10)
            guard !window.isEmpty else { break }
            let out = stripper.strip(window)
            try out.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
            offset += window.count
        }
        try stripper.held.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
    }

    /// Where it stands between two windows.
    private struct Stripper {
        /// Of a sequence that has begun.
        private(set) var held: [UInt8] = []

        mutating func strip(_ window: [UInt8]) -> [UInt8] {
            var out: [UInt8] = []
            out.reserveCapacity(window.count)
            for byte in window {
                if byte == escape {
                    out += held
                    held = [byte]
                } else if held.isEmpty {
                    out.append(byte)
                } else {
                    held.append(byte)
                    if held.count == 2 ? byte == UInt8(ascii: "[") : byte.isASCIIDigit || byte == 0x3b,
                        held.count < longest
                    {
                        continue
                    }
                    let isColour = held.count > 2 && "mK".utf8.contains(byte)
                    if !isColour { out += held }
                    held = []
                }
            }
            return out
        }
    }
}
