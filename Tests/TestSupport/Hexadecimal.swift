extension [UInt8] {
    /// The bytes of hexadecimal digits, as the specifications print them; white space is passed over.
    package init(hex text: String) {
        let digits = text.filter { !$0.isWhitespace }.utf8.map {
            UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 0)
        }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Two lower-case digits a byte.
    package var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
