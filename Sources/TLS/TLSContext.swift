internal import COpenSSL
package import LibCrypto

/// What many connections share: whom we trust, or who we are (`SSL_CTX`).
///
/// Immutable after it is made, and OpenSSL counts its references atomically; connections of any thread may
/// use it.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let keyLog: KeyLog?
    let verifiesPeer: Bool
    /// Of a client's connections.
    let sessions = SessionCache()
    /// What each connection shows in the place of the context's own certificate.
    let shown: CertifiedKey?

    private init(
        pointer: OpaquePointer,
        keyLog: KeyLog?,
        verifiesPeer: Bool,
        shown: CertifiedKey? = nil
    ) {
        self.pointer = pointer
        self.keyLog = keyLog
        self.verifiesPeer = verifiesPeer
        self.shown = shown
    }

    deinit { SSL_CTX_free(pointer) }

    /// Whom the client end trusts.
    package struct ClientConfiguration: Sendable {
        /// The system's roots; loading them takes some 20 ms, so make one context and keep it.
        var trustsSystemRoots: Bool
        /// Further trusted certificates, of authorities or of servers themselves.
        var furtherRoots: [Certificate]
        /// Off: any certificate is accepted, and old protocol versions and weak keys too.
        var verifiesServer: Bool
        /// Where the secrets of the connections are written to; nil writes none.
        var keyLog: KeyLog?

        package init(
            trustsSystemRoots: Bool = true,
            furtherRoots: [Certificate] = [],
            verifiesServer: Bool = true,
            keyLog: KeyLog? = nil
        ) {
            self.trustsSystemRoots = trustsSystemRoots
            self.furtherRoots = furtherRoots
            self.verifiesServer = verifiesServer
            self.keyLog = keyLog
        }
    }

    /// A context for connections that we open.
    ///
    /// - Throws: ``TLSError/invalidConfiguration(_:)`` where OpenSSL makes none.
    package static func client(_ configuration: ClientConfiguration) throws(TLSError) -> TLSContext {
        guard let pointer = SSL_CTX_new(TLS_client_method()) else { throw .draining() }
        let context = TLSContext(
            pointer: pointer,
            keyLog: configuration.keyLog,
            verifiesPeer: configuration.verifiesServer
        )
        context.setUp()
        // Level 0 lets short keys pass, which is what one wants of a server one has decided not to check. Level 1
        // would not speak TLS 1.0 and 1.1; what it asks of certificates holds for their servers as well.
        SSL_CTX_set_security_level(pointer, configuration.verifiesServer ? 1 : 0)
        ar_tls_ctx_allow_old_servers(pointer)
        ar_tls_ctx_hand_out_sessions(pointer, keepSession)
        if configuration.trustsSystemRoots { SSL_CTX_set_default_verify_paths(pointer) }
        // So that a given certificate is an anchor whether or not it has signed itself.
        ar_tls_ctx_set_partial_chain(pointer)
        let store = SSL_CTX_get_cert_store(pointer)
        for root in configuration.furtherRoots {
            guard X509_STORE_add_cert(store, root.pointer) == 1 else { throw .draining() }
        }
        SSL_CTX_set_verify(
            pointer,
            configuration.verifiesServer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
            noteProblem
        )
        ERR_clear_error()
        return context
    }

    /// A context for connections that we accept as the owner of `chain`'s first certificate.
    ///
    /// - Parameters:
    ///   - chain: our own certificate, then those between it and the root; the root itself need not be sent.
    ///   - key: the key of the first.
    ///   - keyLog: where the secrets go.
    /// - Returns: the context.
    /// - Throws: ``TLSError/invalidConfiguration(_:)`` when certificate and key do not fit, or no client would take them.
    package static func server(
        chain: [Certificate],
        key: PrivateKey,
        keyLog: KeyLog? = nil
    ) throws(TLSError) -> TLSContext {
        guard let own = chain.first else { throw .invalidConfiguration("a server needs a certificate") }
        guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw .draining() }
        let context = TLSContext(pointer: pointer, keyLog: keyLog, verifiesPeer: false)
        context.setUp()
        // Old clients are recorded as well; below level 0 there is no common signature algorithm with TLS
        // 1.0.
        SSL_CTX_set_security_level(pointer, 0)
        ar_tls_ctx_refuse_renegotiation(pointer)
        guard SSL_CTX_use_certificate(pointer, own.pointer) == 1,
            SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1
        else { throw .draining() }
        for certificate in chain.dropFirst() {
            guard ar_tls_ctx_add_chain_certificate(pointer, certificate.pointer) == 1 else {
                throw .draining()
            }
        }
        // Resumption goes by tickets; a cache in the process would only grow.
        ar_tls_ctx_disable_session_cache(pointer)
        // OpenSSL sends two; clients take one and each costs a key derivation and a record.
        SSL_CTX_set_num_tickets(pointer, 1)
        SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
        return context
    }

    /// The same server under another name.
    ///
    /// Makes no context of its own, so that each of many hosts costs its certificate only. A session of one of the two is
    /// not taken up at the other.
    ///
    /// - Parameter certificate: with its key; authorities between it and the root behind it.
    /// - Returns: a context for connections that we accept.
    package func showing(_ certificate: CertifiedKey) -> TLSContext {
        SSL_CTX_up_ref(pointer)
        return TLSContext(pointer: pointer, keyLog: keyLog, verifiesPeer: verifiesPeer, shown: certificate)
    }

    private func setUp() {
        ar_tls_ctx_set_versions(pointer, TLS1_VERSION, TLS1_3_VERSION)
        ar_tls_ctx_set_defaults(pointer)
        if keyLog != nil { SSL_CTX_set_keylog_callback(pointer, logSecret) }
    }
}

extension TLSError {
    /// Takes the oldest error of this thread's queue, which is the cause, and empties the queue.
    static func draining() -> TLSError { .invalidConfiguration(drainedReason() ?? "unknown error") }
}

/// The words for the oldest error of this thread's queue, which is emptied; nil where it was empty.
func drainedReason() -> String? {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return nil }
    guard let text = ERR_reason_error_string(code) else { return "error \(code)" }
    return String(cString: text)
}

// MARK: - Callbacks: each finds the connection as the owner of its `SSL`

private let logSecret: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void = { ssl, line in
    guard let line, let connection = TLSConnection.owner(of: ssl) else { return }
    connection.context.keyLog?.append(line)
}

private let noteProblem: @convention(c) (CInt, OpaquePointer?) -> CInt = { accepted, store in
    guard accepted == 0, let store, let owner = ar_tls_owner_of_verification(store) else { return accepted }
    let connection = Unmanaged<TLSConnection>.fromOpaque(owner).takeUnretainedValue()
    connection.noteCertificateProblem(store)
    return accepted
}

private let keepSession: @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt = { ssl, session in
    guard let session, let connection = TLSConnection.owner(of: ssl) else { return 0 }
    return connection.keep(session) ? 1 : 0
}

private let selectProtocol:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
        UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
    ) -> CInt = { ssl, selected, length, offered, offeredLength, _ in
        guard let connection = TLSConnection.owner(of: ssl), let selected, let length, let offered else {
            return SSL_TLSEXT_ERR_NOACK
        }
        let list = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
        switch connection.selectProtocol(among: list) {
        case .none: return SSL_TLSEXT_ERR_NOACK
        case .refuse: return SSL_TLSEXT_ERR_ALERT_FATAL
        case .select(let range):
            // It points into the client's list, which outlives this call, as OpenSSL asks for.
            selected.pointee = offered + range.lowerBound
            length.pointee = UInt8(range.count)
            return SSL_TLSEXT_ERR_OK
        }
    }
