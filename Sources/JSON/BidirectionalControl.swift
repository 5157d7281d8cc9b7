extension Unicode.Scalar {
    /// Whether it reorders the text around it on a screen (UAX #9, section 2).
    package var isBidirectionalControl: Bool {
        switch value {
        case 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
