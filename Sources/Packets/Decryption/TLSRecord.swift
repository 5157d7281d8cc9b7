/// The header of a record (RFC 8446, section 5.1).
struct TLSRecordHeader {
    static let size = 5
    /// Of what stands behind the header: 2^14 bytes, and what the oldest ciphers may add.
    static let longest = 16_384 + 2_048

    var type: UInt8
    var version: UInt16
    /// Of what stands behind the header, in bytes.
    var length: Int

    /// Nil where there are not five bytes.
    init?(_ bytes: UnsafeRawBufferPointer.SubSequence) {
        guard bytes.count >= Self.size else { return nil }
        let start = bytes.startIndex
        type = bytes[start]
        version = UInt16(bytes[start + 1]) << 8 | UInt16(bytes[start + 2])
        length = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    }

    /// Whether a record may begin like this.
    var isPlausible: Bool {
        (20...24).contains(type) && version >> 8 == 3 && version & 255 <= 4 && length <= Self.longest
    }
    /// With its header.
    var size: Int { Self.size + length }
}

/// The types of content that records have.
enum TLSContentType {
    static let changeCipherSpec: UInt8 = 20
    static let alert: UInt8 = 21
    static let handshake: UInt8 = 22
    static let applicationData: UInt8 = 23
}

/// Room for what is decrypted, kept from record to record; grows to the largest that came.
final class PlaintextBuffer {
    private(set) var start = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 16)
    private var capacity = 512

    deinit { start.deallocate() }

    func reserve(_ count: Int) {
        guard count > capacity else { return }
        start.deallocate()
        // Two sizes are enough: records of a few kilobytes, and the longest.
        capacity = count <= 4096 ? 4096 : max(count, TLSRecordHeader.longest)
        start = .allocate(byteCount: capacity, alignment: 16)
    }
}
