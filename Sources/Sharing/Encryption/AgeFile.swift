import Captures

/// What an encrypted file of age's begins with (c2sp.org/age).
package enum AgeFile {
    /// The first line of a binary file begins with it; the version follows.
    static let introduction = Array("age-encryption.org/".utf8)
    static let version = Array("v1".utf8)

    /// So many bytes of a file's beginning tell whether it is one.
    package static let recognizedBytes = 1024

    /// Whether a file that begins so is one of age's, of any version, binary or armored.
    ///
    /// White space before the armor is passed over, as it comes with a text that is pasted.
    package static func isBegun(by bytes: [UInt8]) -> Bool {
        if bytes.starts(with: introduction) { return true }
        let text = bytes.drop(while: \.isASCIIWhiteSpace)
        return text.starts(with: AgeArmorDecoder.firstLine)
    }
}
