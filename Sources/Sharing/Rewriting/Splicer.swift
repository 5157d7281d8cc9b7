/// Puts other bytes into a text, from its beginning to its end.
struct Splicer {
    private let text: [UInt8]
    private var output: [UInt8] = []
    /// As far as the text is taken over.
    private var copied = 0
    private var isChanged = false

    init(_ text: [UInt8]) { self.text = text }

    /// `range`: behind those that were replaced before.
    mutating func replace(_ range: Range<Int>, with other: [UInt8]) {
        if !isChanged { output.reserveCapacity(text.count + other.count) }
        isChanged = true
        output.append(contentsOf: text[copied..<range.lowerBound])
        output.append(contentsOf: other)
        copied = range.upperBound
    }

    /// The text with all that was put into it; nil where nothing was.
    func finished() -> [UInt8]? { isChanged ? output + text[copied...] : nil }
}
