internal import COpenSSL
internal import NIOCore

/// The BIO through which OpenSSL reads and writes the two buffers of a ``TLSConnection``, without a copy in
/// between.
enum ByteBufferBIO {
    // Made once, never changed or freed; OpenSSL only reads it.
    nonisolated(unsafe) static let method: OpaquePointer? = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "authreel ByteBuffer")
        BIO_meth_set_read(method, read)
        BIO_meth_set_write(method, write)
        BIO_meth_set_ctrl(method, control)
        return method
    }()

    private static func connection(of bio: OpaquePointer?) -> TLSConnection? {
        BIO_get_data(bio).map { Unmanaged<TLSConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let read: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, CInt) -> CInt = {
        bio,
        target,
        capacity in
        ar_tls_bio_no_retry(bio)
        guard let connection = connection(of: bio), let target, capacity > 0 else { return -1 }
        let count = min(Int(capacity), connection.incoming.readableBytes)
        guard count > 0 else {
            ar_tls_bio_retry_read(bio)
            return -1
        }
        connection.incoming.readWithUnsafeReadableBytes { bytes in
            UnsafeMutableRawBufferPointer(start: target, count: count).copyMemory(
                from: .init(rebasing: bytes[..<count])
            )
            return count
        }
        return CInt(count)
    }

    private static let write: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt = {
        bio,
        source,
        count in
        ar_tls_bio_no_retry(bio)
        guard let connection = connection(of: bio), let source, count > 0 else { return 0 }
        connection.outgoing.writeBytes(UnsafeRawBufferPointer(start: source, count: Int(count)))
        return count
    }

    private static let control:
        @convention(c) (OpaquePointer?, CInt, CLong, UnsafeMutableRawPointer?) -> CLong = {
            bio,
            command,
            _,
            _ in
            switch command {
            case BIO_CTRL_FLUSH: 1
            case BIO_CTRL_PENDING: CLong(connection(of: bio)?.incoming.readableBytes ?? 0)
            default: 0
            }
        }
}
