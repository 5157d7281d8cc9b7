extension Unicode.Scalar {
    /// Whether it has no ink, and is no plain space: nobody sees that it is there, or which one it is.
    package var isInvisible: Bool {
        guard !isASCII else { return false }
        switch properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: return true
        // Signs of Arabic, Syriac, Kaithi and Egyptian are of this kind, and are seen.
        case .format: return properties.isDefaultIgnorableCodePoint || (0xfff9...0xfffb).contains(value)
        default: return properties.isDefaultIgnorableCodePoint || value == 0x2800
        }
    }
}
