/// The sums that the checksums of the internet are made of (RFC 1071).
enum OnesComplement {
    /// Of the 16-bit words in network byte order; behind an odd last byte there is a 0.
    static func sum(of bytes: UnsafeRawBufferPointer) -> UInt16 {
        // In any byte order the sum is the same, but for the order of its own bytes (section 2, B); so is that of wider words.
        var sums = SIMD4<UInt64>.zero
        var place = 0
        while place + 32 <= bytes.count {
            let words = bytes.loadUnaligned(fromByteOffset: place, as: SIMD4<UInt64>.self)
            sums &+= words & SIMD4(repeating: 0xffff_ffff)
            sums &+= words &>> 32
            place += 32
        }
        var sum = UInt64(fold(sums.x)) + UInt64(fold(sums.y)) + UInt64(fold(sums.z)) + UInt64(fold(sums.w))
        while place + 2 <= bytes.count {
            sum += UInt64(bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))
            place += 2
        }
        if place < bytes.count { sum += UInt64(UInt16(bytes[place]).littleEndian) }
        return UInt16(bigEndian: fold(sum))
    }

    /// A sum of 16-bit words without what went beyond 16 bits, which is added below.
    static func fold(_ sum: UInt64) -> UInt16 {
        var sum = sum
        while sum > 0xffff { sum = (sum & 0xffff) + (sum >> 16) }
        return UInt16(sum)
    }
}
