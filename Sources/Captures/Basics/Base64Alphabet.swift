/// The characters of base64, by their values (RFC 4648, sections 4 and 5).
package enum Base64Alphabet {
    package static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    /// Of base64url.
    package static let url = standard.map { $0 == 0x2b ? 0x2d : $0 == 0x2f ? 0x5f : $0 }

    /// The value of each byte in either alphabet; 255 of those that are in none.
    package static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for alphabet in [standard, url] {
            for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        }
        return values
    }()
}
