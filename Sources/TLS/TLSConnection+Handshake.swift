internal import COpenSSL
internal import LibCrypto
internal import NIOCore

/// The handshake of a connection: what it comes to, what it agreed on, and the sessions that it takes up and leaves.
extension TLSConnection {
    func handshake() -> Progress {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            // It would be called for every record from here on.
            SSL_set_msg_callback(ssl, nil)
            hasHandshaken = true
            // Up to TLS 1.2 our Finished is behind the ticket (RFC 5077, section 3.1).
            if case .server = role, SSL_version(ssl) == TLS1_3_VERSION {
                patientBytes = outgoing.readableBytes
            }
            return .done
        }
        if SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ { return .needsInput }
        let words = drainedReason()
        if offered != nil, let sessionKey { context.sessions.forget(sessionKey) }
        if let certificateProblem, context.verifiesPeer { return .failed(.certificate(certificateProblem)) }
        if let receivedAlert {
            guard isAskedForCertificate, receivedAlert.refusesClientCertificate else {
                return .failed(.alertReceived(receivedAlert))
            }
            let shown = hasShownCertificate ? certificate?.certificate.subject : nil
            return .failed(.clientCertificate(shown: shown, receivedAlert))
        }
        return .failed(words.map { .protocolError($0) } ?? .closed)
    }

    var facts: HandshakeFacts {
        var alpn: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &alpn, &length)
        let agreed = alpn.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
        }
        return HandshakeFacts(
            version: String(cString: SSL_get_version(ssl)),
            cipher: SSL_get_current_cipher(ssl).flatMap { SSL_CIPHER_standard_name($0) }.map {
                String(cString: $0)
            } ?? "",
            alpn: agreed,
            tolerated: resumed.map(\.tolerated) ?? certificateProblem,
            isResumed: SSL_session_reused(ssl) == 1,
            wantsClientCertificate: resumed?.askedForCertificate ?? isAskedForCertificate,
            shownCertificate: resumed?.hasShownCertificate ?? hasShownCertificate
                ? certificate?.certificate : nil
        )
    }

    /// The session that the server went on with.
    private var resumed: SessionCache.Session? { SSL_session_reused(ssl) == 1 ? offered : nil }

    /// Keeps a session that the server gave for later connections; whether its reference was taken over.
    func keep(_ session: OpaquePointer) -> Bool {
        guard let sessionKey else { return false }
        let handle = SessionHandle(owning: session)
        var deadline = NIODeadline.now() + SessionCache.lifetime
        if let resumed {
            // The certificate was looked at when that one was made.
            deadline = resumed.deadline
        } else if let own = serverCertificate {
            deadline = min(deadline, .now() + .seconds(own.notAfter - handle.givenAt))
        }
        context.sessions.keep(
            SessionCache.Session(
                handle: handle,
                deadline: deadline,
                tolerated: resumed.map(\.tolerated) ?? certificateProblem,
                askedForCertificate: resumed?.askedForCertificate ?? isAskedForCertificate,
                hasShownCertificate: resumed?.hasShownCertificate ?? hasShownCertificate
            ),
            for: sessionKey
        )
        return true
    }

    func selectProtocol(among offered: UnsafeBufferPointer<UInt8>) -> Selection {
        guard case .server(let protocols) = role else { return .none }
        var index = 0
        while index < offered.count {
            let length = Int(offered[index])
            let range = (index + 1)..<(index + 1 + length)
            guard length > 0, range.upperBound <= offered.count else { return .refuse }
            if let wanted = protocols.accepted, offered[range].elementsEqual(wanted.utf8) {
                return .select(range)
            }
            index = range.upperBound
        }
        return protocols.refusesOthers ? .refuse : .none
    }

    func noteCertificateProblem(_ store: OpaquePointer) {
        // The first is the one to report: with verification off OpenSSL goes on and finds more.
        guard certificateProblem == nil else { return }
        let code = X509_STORE_CTX_get_error(store)
        let certificate = X509_STORE_CTX_get_current_cert(store).flatMap { pointer -> Certificate? in
            X509_up_ref(pointer) == 1 ? Certificate(owning: pointer) : nil
        }
        let kind: CertificateProblem.Kind =
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: .outsideValidity
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
                .untrusted
            default: .other
            }
        certificateProblem = CertificateProblem(
            kind: kind,
            words: X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)",
            subject: certificate?.subject ?? "unknown",
            issuer: certificate?.issuer ?? "unknown"
        )
    }

    /// The server's own certificate, at the client's end; nil where it showed none.
    private var serverCertificate: Certificate? {
        // The chain begins with it at this end only (SSL_get_peer_cert_chain(3)).
        let chain = SSL_get_peer_cert_chain(ssl)
        guard ar_x509_stack_count(chain) > 0, let pointer = ar_x509_stack_at(chain, 0),
            X509_up_ref(pointer) == 1
        else { return nil }
        return Certificate(owning: pointer)
    }
}
