/// Why bytes are not JSON, with the place.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// From 1.
    package var line: Int
    /// In bytes, from 1.
    package var column: Int
    /// In bytes, from 0.
    package var offset: Int
    /// What should have stood there, e.g. `a comma or ]`.
    package var expected: String

    package init(line: Int, column: Int, offset: Int, expected: String) {
        self.line = line
        self.column = column
        self.offset = offset
        self.expected = expected
    }

    package var description: String { "\(line):\(column): expected \(expected)" }
}
