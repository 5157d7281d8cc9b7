package import LibCrypto

/// How a handshake ended; ``TLSHandler`` fires it once, as a user inbound event.
package enum HandshakeOutcome: Sendable {
    case completed(HandshakeFacts)
    case failed(HandshakeFailure)
    /// A client gave up because of our certificate, by an alert that says so, or (nil) by breaking off after
    /// it.
    ///
    /// Node, for one, closes without a word. A client that finishes the handshake and then closes is not told
    /// apart.
    case clientRejectedCertificate(TLSAlert?)
}

/// What was agreed.
package struct HandshakeFacts: Sendable {
    /// As OpenSSL writes it: `TLSv1.3`.
    package let version: String
    /// As the registry of TLS names it: `TLS_AES_256_GCM_SHA384`.
    package let cipher: String
    /// Nil where none was agreed.
    package let alpn: String?
    /// Why the peer's certificate would have been refused, where verification was switched off and it would.
    package let tolerated: CertificateProblem?
    /// Whether it goes on with an earlier session: what is told of certificates is then that of that session's first handshake,
    /// which verified them (RFC 8446, section 2.2).
    package let isResumed: Bool
    /// Whether a server asked us for a certificate.
    package let wantsClientCertificate: Bool
    /// The one of ours that a server was shown.
    package let shownCertificate: Certificate?
}

/// Why there is no connection.
package enum HandshakeFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The other end's certificate was not accepted.
    case certificate(CertificateProblem)
    /// The other end gave up.
    case alertReceived(TLSAlert)
    /// A server asked for a certificate of ours and gave up over what it got: the subject of what it was shown, nil
    /// where that was none.
    ///
    /// With TLS 1.3 our handshake is done before it can say so: then it is a ``TLSError`` afterwards.
    case clientCertificate(shown: String?, TLSAlert)
    /// We gave up; the words are OpenSSL's, e.g. `wrong version number`.
    case protocolError(String)
    /// The connection was closed in the middle.
    case closed
    /// The connection broke, in the words of the system, e.g. `connection reset by peer`.
    case connectionError(String)

    package var description: String {
        switch self {
        case .certificate(let problem): problem.description
        case .alertReceived(let alert): "alert \(alert.name) received"
        case .clientCertificate(nil, let alert):
            "alert \(alert.name) received for want of a client certificate"
        case .clientCertificate(let shown?, let alert):
            "alert \(alert.name) received after the client certificate \(shown)"
        case .protocolError(let words): words
        case .closed: "the connection was closed during the handshake"
        case .connectionError(let words): words
        }
    }
}

/// Why a certificate was not accepted.
package struct CertificateProblem: Sendable, Hashable, CustomStringConvertible {
    /// What kind of wrong, as far as users need different advice.
    package enum Kind: Sendable, Hashable {
        /// No way from the certificate to a trusted root.
        case untrusted
        /// Expired, or not valid yet.
        case outsideValidity
        /// It is for another name.
        case wrongName
        case other
    }

    /// Why verification failed.
    package let kind: Kind
    /// OpenSSL's words, like `unable to get local issuer certificate`.
    package let words: String
    /// The subject of the certificate at which verification ended; not always the server's own.
    package let subject: String
    /// The issuer of that certificate.
    package let issuer: String

    init(kind: Kind, words: String, subject: String, issuer: String) {
        self.kind = kind
        self.words = words
        self.subject = subject
        self.issuer = issuer
    }

    package var description: String { "\(words) (subject \(subject); issuer \(issuer))" }
}

/// What a server was shown that wanted a client's certificate only once it had seen what it is asked for.
package struct LateClientCertificate: Sendable {
    /// Nil where it was shown none.
    package let shown: Certificate?
}

/// What goes wrong on a connection after its handshake; fired as an error.
package enum TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The other end gave up.
    case alertReceived(TLSAlert)
    /// We gave up: what came is not TLS, or not ours. The words are OpenSSL's.
    case protocolError(String)
    /// Something was written after the end.
    case closed
    /// A context cannot be made; the words are OpenSSL's.
    case invalidConfiguration(String)

    package var description: String {
        switch self {
        case .alertReceived(let alert): "TLS alert \(alert.name) received"
        case .protocolError(let words): "TLS: \(words)"
        case .closed: "TLS connection closed"
        case .invalidConfiguration(let words): "TLS: \(words)"
        }
    }
}
