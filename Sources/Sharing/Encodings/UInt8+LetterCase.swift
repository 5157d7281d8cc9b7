import Captures

extension UInt8 {
    /// A letter in the case of another one.
    static func inCase(_ byte: UInt8, _ made: UInt8) -> UInt8 {
        guard made.isASCIILetter, byte.isASCIILetter else { return made }
        return made & 0xdf | byte & 0x20
    }
}
