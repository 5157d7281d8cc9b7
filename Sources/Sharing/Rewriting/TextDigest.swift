/// What a text is known by without being kept: hashes of this process only, so that no file can be made in which two texts are
/// taken for one.
struct TextDigest: Hashable {
    private var count: Int
    private var hashes: SIMD2<Int>

    init(_ text: [UInt8]) {
        count = text.count
        var hashers = (Hasher(), Hasher())
        hashers.1.combine(0)
        text.withUnsafeBytes {
            hashers.0.combine(bytes: $0)
            hashers.1.combine(bytes: $0)
        }
        hashes = SIMD2(hashers.0.finalize(), hashers.1.finalize())
    }
}
