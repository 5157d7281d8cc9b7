/// Writes numbers as digits, without a text in between.
enum DecimalText {
    static func append(_ value: Int, to out: inout [UInt8]) {
        guard value >= 0 else {
            return out.append(contentsOf: String(value).utf8)
        }
        var unit = 1
        while value / unit >= 10 { unit *= 10 }
        while unit > 0 {
            out.append(0x30 + UInt8(value / unit % 10))
            unit /= 10
        }
    }

    /// At least `width` digits, zeros before it; `value` is not negative.
    static func append(_ value: Int, width: Int, to out: inout [UInt8]) {
        var unit = 1
        for _ in 1..<width { unit *= 10 }
        guard value / unit < 10 else { return append(value, to: &out) }
        while unit > 0 {
            out.append(0x30 + UInt8(value / unit % 10))
            unit /= 10
        }
    }
}
