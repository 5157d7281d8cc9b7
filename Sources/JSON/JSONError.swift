/// Why bytes are not JSON, with the place.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// From 1.
    package var line: Int
    /// In bytes, from 1.
    package var column: Int
    /// In bytes, from 0.
    package var offset: Int
    /// What should have stood there, for example `a comma or ]`.
    package var expected: String

    init(line: Int, column: Int, offset: Int, expected: String) {
        self.line = line
        self.column = column
        self.offset = offset
        self.expected = expected
    }

    package var description: String { "\(line):\(column): expected \(expected)" }
}

extension JSONError {
    /// The error at an offset; lines are counted only now that somebody wants to know.
    init(_ expected: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        let before = bytes[..<min(offset, bytes.count)]
        let lineStart = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
        self.init(
            line: before.reduce(1) { $1 == 0x0a ? $0 + 1 : $0 },
            column: offset - lineStart + 1,
            offset: offset,
            expected: expected
        )
    }
}
