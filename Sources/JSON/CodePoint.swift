extension Unicode.Scalar {
    /// Its code point as Unicode writes it, with four digits at least: `U+00FC`.
    package var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
