// Every caller has checked before that the bytes are there: these check it in debug builds only.
extension UnsafeRawBufferPointer {
    /// An integer in network byte order.
    @inline(__always)
    func field<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
        Value(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// What stands behind the first so many bytes; nothing where there are fewer.
    @inline(__always)
    func behind(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[Swift.min(count, self.count)...])
    }

    /// The first so many bytes, or all where there are fewer.
    @inline(__always)
    func first(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[..<Swift.min(count, self.count)])
    }
}

/// Reads integers in the byte order of the machine that wrote the file.
struct ByteOrder: Sendable {
    /// Whether it is another than this machine's.
    var isSwapped: Bool

    @inline(__always)
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer,
        _ offset: Int,
        as type: Value.Type
    ) -> Value {
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: type)
        return isSwapped ? value.byteSwapped : value
    }
}
