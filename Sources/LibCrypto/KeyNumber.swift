/// The numbers of a key, as libcrypto tells them: big endian.
enum KeyNumber {
    /// One of a key's numbers, without leading zeros.
    ///
    /// `read`: writes the number of a key, at most so many bytes of it, and says how many they are.
    static func bytes(
        of key: OpaquePointer,
        _ read: (OpaquePointer, UnsafeMutablePointer<UInt8>?, Int32) -> Int32
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
            count = Int(read(key, buffer.baseAddress, 2048))
        }
    }

    /// The same with leading zeros, as JWKs and points have the numbers of a curve.
    static func padded(_ bytes: [UInt8], to size: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, size - bytes.count)) + bytes
    }
}
