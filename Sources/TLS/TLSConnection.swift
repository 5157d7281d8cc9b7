internal import COpenSSL
internal import LibCrypto
internal import NIOCore

/// One end of one TLS connection, without IO: ciphertext in, ciphertext out, plaintext in between (`SSL`).
///
/// Belongs to one thread at a time. OpenSSL reads and writes ``incoming`` and ``outgoing`` through a BIO of
/// ours.
final class TLSConnection {
    /// What a client asks for, or what a server offers.
    enum Role {
        /// - Parameters:
        ///   - name: the server's name or address, verified where the context verifies; the name goes into
        /// the
        ///     ClientHello (an address does not, RFC 6066, section 3).
        ///   - alpn: offered, in order.
        ///   - certificate: shown where the server asks for one.
        ///   - endpoint: `HOST:PORT`, whose sessions are taken up again; nil takes up none.
        case client(name: String?, alpn: [String], certificate: CertifiedKey?, endpoint: String?)
        /// - Parameter alpn: taken when the client offers it, else none is agreed. ``ServerProtocols`` says more.
        case server(alpn: ServerProtocols)
    }

    enum Progress {
        case needsInput
        case done
        case failed(HandshakeFailure)
    }

    enum ReadResult {
        /// Nothing more until further ciphertext arrives.
        case needsInput
        /// One record has been read, and there is more.
        case more
        /// The other end said that it sends no more.
        case closed
        case failed(TLSError)
    }

    enum Selection {
        case none
        case refuse
        case select(Range<Int>)
    }

    /// Of what one record holds, in bytes (RFC 8446, section 5.1).
    private static let largestRecord = 16_384
    /// For what OpenSSL holds of a record whose end has come now.
    private static let leastRoom = 1024

    let context: TLSContext
    /// Ciphertext from the other end that OpenSSL has not read.
    var incoming = ByteBuffer()
    /// Ciphertext for the other end.
    var outgoing: ByteBuffer
    /// How much at the beginning of ``outgoing`` may wait until there is more: a ticket, which a client wants for its next
    /// connection only.
    var patientBytes = 0
    /// What could not be encrypted while a server renegotiates.
    private var delayed = ByteBuffer()
    /// Of what waits; its writer is told to wait long before (see ``TLSWriting``).
    private static let mostDelayed = 16 << 20
    /// The last fatal alert that came from the other end.
    private(set) var receivedAlert: TLSAlert?
    /// Whether our Certificate message has been made.
    private(set) var hasSentCertificate = false
    var certificateProblem: CertificateProblem?
    var hasHandshaken = false
    var isAskedForCertificate = false
    var hasShownCertificate = false
    /// Whether the server has asked for a certificate behind the handshake, and nobody was told what it was shown.
    private var isAskedLate = false
    var certificate: CertifiedKey?
    var sessionKey: SessionCache.Key?
    /// The session that the server was offered to go on with.
    var offered: SessionCache.Session?
    let ssl: OpaquePointer
    let role: Role

    init(context: TLSContext, role: Role, allocator: ByteBufferAllocator) throws(TLSError) {
        guard let ssl = SSL_new(context.pointer) else { throw .draining() }
        self.context = context
        self.role = role
        self.ssl = ssl
        outgoing = allocator.buffer(capacity: 4096)
        guard let bio = BIO_new(ByteBufferBIO.method) else {
            throw .draining()
        }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        // One BIO for both directions: SSL_set_bio takes one reference then.
        SSL_set_bio(ssl, bio, bio)
        ar_tls_set_owner(ssl, Unmanaged.passUnretained(self).toOpaque())
        SSL_set_info_callback(ssl, noteAlert)
        SSL_set_msg_callback(ssl, noteMessage)
        switch role {
        case .client(let name, let alpn, let certificate, let endpoint):
            SSL_set_connect_state(ssl)
            if let name, !setName(name) { throw .draining() }
            let list = Self.wireForm(alpn)
            if !list.isEmpty { SSL_set_alpn_protos(ssl, list, UInt32(list.count)) }
            SSL_set_cert_cb(ssl, noteRequest, nil)
            if let certificate {
                try show(certificate)
                // A server may want it only once it has seen what is asked for (RFC 8446, section 4.6.2).
                SSL_set_post_handshake_auth(ssl, 1)
            }
            guard let endpoint, let name else { return }
            let key = SessionCache.Key(
                endpoint: endpoint,
                serverName: name,
                alpn: alpn,
                certificate: certificate?.thumbprint ?? []
            )
            sessionKey = key
            offered = context.sessions.session(for: key, now: .now())
            if let offered { SSL_set_session(ssl, offered.handle.pointer) }
        case .server:
            SSL_set_accept_state(ssl)
            guard let shown = context.shown else { return }
            try show(shown)
            // Whom a ticket was given for (32 bytes at most, SSL_set_session_id_context(3)).
            SSL_set_session_id_context(ssl, shown.thumbprint, UInt32(shown.thumbprint.count))
        }
    }

    // SSL_free frees the BIO too; neither calls back.
    deinit {
        // Without it a session of a connection that ended without close_notify could not be taken up again.
        if case .client = role { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(ssl)
    }

    static func owner(of ssl: OpaquePointer?) -> TLSConnection? {
        guard let ssl, let owner = ar_tls_owner(ssl) else { return nil }
        return Unmanaged<TLSConnection>.fromOpaque(owner).takeUnretainedValue()
    }

    // MARK: After the handshake

    /// Appends what can be decrypted of ``incoming`` to `plaintext`, or one record of that.
    func read(into plaintext: inout ByteBuffer, byRecord: Bool = false) -> ReadResult {
        while true {
            var result: CInt = 0
            ERR_clear_error()
            // As much as has come, which most often is far below a record's 16 KB: these buffers are there once a connection.
            let room = min(max(incoming.readableBytes, Self.leastRoom), Self.largestRecord)
            plaintext.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { bytes in
                result = SSL_read(ssl, bytes.baseAddress, CInt(clamping: bytes.count))
                return max(0, Int(result))
            }
            if result > 0 {
                // Asking once more only to hear that there is nothing costs as much as reading did.
                if incoming.readableBytes == 0, SSL_has_pending(ssl) == 0 { return .needsInput }
                if byRecord { return .more }
                continue
            }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: return .needsInput
            case SSL_ERROR_ZERO_RETURN: return .closed
            default:
                let words = drainedReason()
                if let receivedAlert { return .failed(.alertReceived(receivedAlert)) }
                return .failed(words.map { .protocolError($0) } ?? .closed)
            }
        }
    }

    /// Encrypts all of it into ``outgoing``; while the server renegotiates, what is left waits for it.
    func write(_ plaintext: ByteBuffer) throws(TLSError) {
        guard delayed.readableBytes == 0 else {
            guard delayed.readableBytes + plaintext.readableBytes <= Self.mostDelayed else {
                throw .protocolError("the server began another handshake and does not go on with it")
            }
            delayed.writeImmutableBuffer(plaintext)
            return
        }
        let done = try encrypt(plaintext)
        if done < plaintext.readableBytes {
            delayed.writeImmutableBuffer(plaintext)
            delayed.moveReaderIndex(forwardBy: done)
        }
    }

    /// Whether what is written has to wait for the server's other handshake.
    var isDelayed: Bool { delayed.readableBytes > 0 }

    /// What the server was shown that has asked behind the handshake (RFC 8446, section 4.6.2) or in another one; nil where it
    /// has not asked since the last call, or has not been answered.
    func takeLateCertificate() -> LateClientCertificate? {
        guard isAskedLate, SSL_in_init(ssl) == 0 else { return nil }
        isAskedLate = false
        SSL_set_msg_callback(ssl, nil)
        return LateClientCertificate(shown: hasShownCertificate ? certificate?.certificate : nil)
    }

    /// Encrypts what had to wait, as far as that is possible now.
    func writeDelayed() throws(TLSError) {
        guard delayed.readableBytes > 0 else { return }
        delayed.moveReaderIndex(forwardBy: try encrypt(delayed))
        if delayed.readableBytes == 0 { delayed = ByteBuffer() }
    }

    /// How many bytes it came to.
    private func encrypt(_ plaintext: ByteBuffer) throws(TLSError) -> Int {
        var done = 0
        var failed = false
        plaintext.withUnsafeReadableBytes { bytes in
            while done < bytes.count {
                ERR_clear_error()
                let result = SSL_write(
                    ssl,
                    bytes.baseAddress.map { $0 + done },
                    CInt(clamping: bytes.count - done)
                )
                guard result > 0 else {
                    failed = SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ
                    return
                }
                done += Int(result)
            }
        }
        if failed { throw drainedReason().map { .protocolError($0) } ?? .closed }
        return done
    }

    /// Whether the other end waits for something of ``outgoing``.
    var hasUrgentOutgoing: Bool { outgoing.readableBytes > patientBytes }

    /// Whether ``outgoing`` is something that may wait, and nothing else.
    var hasOnlyPatientOutgoing: Bool { patientBytes > 0 && !hasUrgentOutgoing }

    /// All of ``outgoing`` is on its way; its memory is used again.
    func sentOutgoing() {
        outgoing.clear()
        patientBytes = 0
    }

    /// Says that we send no more (close_notify); its record is in ``outgoing`` then.
    func shutdown() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Gives back the memory that records are read into and made in; it is taken anew when it is needed.
    func releaseBuffers() {
        if incoming.readableBytes == 0 { incoming = ByteBuffer() }
        if outgoing.readableBytes == 0 { outgoing = ByteBuffer() }
        // Leaves alone what holds a part of a record.
        SSL_free_buffers(ssl)
    }

    /// The capacity of the buffers that ``releaseBuffers()`` gives back, in bytes; without OpenSSL's.
    var heldBytes: Int { incoming.capacity + outgoing.capacity }

    // MARK: -

    fileprivate func received(alert: TLSAlert) { receivedAlert = alert }

    /// `isEmpty`: it says that there is none.
    fileprivate func sentCertificate(isEmpty: Bool) {
        hasSentCertificate = true
        hasShownCertificate = !isEmpty
    }

    fileprivate func wasAskedForCertificate() {
        isAskedForCertificate = true
        // The callback of messages is taken away behind the handshake.
        guard hasHandshaken else { return }
        isAskedLate = true
        hasShownCertificate = false
        SSL_set_msg_callback(ssl, noteMessage)
    }

    private func show(_ certificate: CertifiedKey) throws(TLSError) {
        guard ar_tls_use_certificate(ssl, certificate.certificate.pointer, certificate.key.pointer) == 1
        else {
            throw .draining()
        }
        for other in certificate.chain.dropFirst() {
            guard ar_tls_add_chain_certificate(ssl, other.pointer) == 1 else { throw .draining() }
        }
        self.certificate = certificate
    }

    private func setName(_ name: String) -> Bool {
        // An address is verified against the addresses of the certificate and is not sent.
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1 { return true }
        ERR_clear_error()
        SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        return ar_tls_set_server_name(ssl, name) == 1 && SSL_set1_host(ssl, name) == 1
    }

    private static func wireForm(_ names: [String]) -> [UInt8] {
        names.filter { (1...255).contains($0.utf8.count) }.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }
}

private let noteAlert: @convention(c) (OpaquePointer?, CInt, CInt) -> Void = { ssl, place, value in
    guard place & SSL_CB_ALERT != 0, place & SSL_CB_READ != 0 else { return }
    let alert = TLSAlert(code: UInt8(truncatingIfNeeded: value))
    // close_notify and user_canceled end nothing by themselves.
    guard alert.code != 0, alert.code != 90 else { return }
    TLSConnection.owner(of: ssl)?.received(alert: alert)
}

private let noteMessage:
    @convention(c) (
        CInt, CInt, CInt, UnsafeRawPointer?, Int, OpaquePointer?, UnsafeMutableRawPointer?
    ) -> Void = { isSent, _, contentType, bytes, length, ssl, _ in
        guard isSent == 1, contentType == SSL3_RT_HANDSHAKE, length > 0, let bytes,
            bytes.load(as: UInt8.self) == UInt8(SSL3_MT_CERTIFICATE)
        else { return }
        // Type and length, the empty context of TLS 1.3, and the length of an empty list.
        TLSConnection.owner(of: ssl)?.sentCertificate(isEmpty: length <= 8)
    }

/// Called when a server has asked for a certificate (`SSL_set_cert_cb(3)`).
private let noteRequest: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = { ssl, _ in
    TLSConnection.owner(of: ssl)?.wasAskedForCertificate()
    return 1
}
