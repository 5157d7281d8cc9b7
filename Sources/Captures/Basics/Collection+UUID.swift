extension Collection<UInt8> {
    /// Whether the bytes are a UUID in text: hexadecimal digits of either case in groups of 8, 4, 4, 4 and 12 (RFC 9562, section 4).
    package var isUUID: Bool {
        count == 36
            && enumerated().allSatisfy { index, byte in
                switch index {
                case 8, 13, 18, 23: byte == 0x2d
                default: byte.isHexadecimalDigit
                }
            }
    }
}
