internal import LibCrypto
internal import NIOCore

/// Why an exchange has no (whole) answer, worded as rules and people recognise it: the `_error` of its entry.
package enum TransportReason {
    /// No address for the name.
    package static func notFound(_ host: String) -> String { "ENOTFOUND: no address found for \(host)" }

    /// A connection that was not made in time.
    package static func timedOut(_ address: String) -> String {
        "ERR_CONNECTION_TIMED_OUT: no answer from \(address)"
    }

    /// A connection that was not made, by the system's error number.
    package static func dialing(_ code: CInt, address: String) -> String {
        switch code {
        case SystemError.refused: "ECONNREFUSED: connection refused by \(address)"
        case SystemError.timedOut: timedOut(address)
        case SystemError.reset: "ECONNRESET: connection reset by \(address)"
        case SystemError.hostUnreachable, SystemError.networkUnreachable:
            "ERR_INTERNET_DISCONNECTED: no route to \(address)"
        default: "cannot connect to \(address): \(SystemError.words(code))"
        }
    }

    /// A handshake with a server that failed.
    ///
    /// `origin`: as the words name the server; `serverName`: whose certificate it is about.
    package static func handshake(_ origin: String, serverName: String, _ failure: HandshakeFailure) -> String
    {
        switch failure {
        case .certificate(let problem):
            let code =
                switch problem.kind {
                case .untrusted: "ERR_CERT_AUTHORITY_INVALID"
                case .outsideValidity: "ERR_CERT_DATE_INVALID"
                case .wrongName: "ERR_CERT_COMMON_NAME_INVALID"
                case .other: "CERTIFICATE_VERIFY_FAILED"
                }
            return "\(code): the certificate of \(serverName) is not accepted: \(problem)"
        case .clientCertificate(let shown, let alert):
            let what = shown.map { "did not accept the client certificate \($0)" }
            return "ERR_BAD_SSL_CLIENT_AUTH_CERT: \(origin) "
                + (what ?? "asked for a client certificate and was shown none")
                + ": it sent TLS alert \(alert.name)"
        case .alertReceived(.certificateRequired):
            return "ERR_BAD_SSL_CLIENT_AUTH_CERT: \(origin) sent TLS alert certificate_required"
        case .alertReceived(let alert):
            return "ERR_SSL_PROTOCOL_ERROR: TLS handshake with \(origin) failed: it sent alert \(alert.name)"
        case .protocolError(let words):
            return "ERR_SSL_PROTOCOL_ERROR: TLS handshake with \(origin) failed: \(words)"
        case .closed:
            return "ERR_SSL_PROTOCOL_ERROR: \(origin) closed the connection during the TLS handshake"
        case .connectionError(let words):
            return
                "ERR_SSL_PROTOCOL_ERROR: the connection to \(origin) broke during the TLS handshake: \(words)"
        }
    }

    /// What is said where the other end did not answer; the origin with its scheme.
    package static func handshakeTimedOut(_ origin: String) -> String {
        "ERR_CONNECTION_TIMED_OUT: \(origin) did not finish the TLS handshake in time"
    }

    /// What broke a connection that carried exchanges, for their `_error`.
    ///
    /// - Parameters:
    ///   - error: what NIO or TLS reported.
    ///   - who: `client`, `server` or `proxy`: whether the server is a provider, the recorder does not know.
    /// - Returns: words that rules recognise.
    package static func broken(_ error: any Error, by who: String) -> String {
        switch error {
        // What is written behind a reset meets a broken pipe.
        case let error as IOError where [SystemError.reset, SystemError.brokenPipe].contains(error.errnoCode):
            "ECONNRESET: connection reset by the \(who)"
        case let error as IOError where error.errnoCode == SystemError.timedOut:
            "ERR_CONNECTION_TIMED_OUT: the \(who) no longer answers"
        case let error as IOError: "connection to the \(who) broken: \(SystemError.words(error.errnoCode))"
        case TLSError.alertReceived(let alert) where alert == .certificateRequired:
            "ERR_BAD_SSL_CLIENT_AUTH_CERT: the \(who) sent TLS alert \(alert.name)"
        case TLSError.alertReceived(let alert): "TLS alert \(alert.name) from the \(who)"
        case let error as TLSError: "ERR_SSL_PROTOCOL_ERROR: connection to the \(who): \(error)"
        default: "connection to the \(who) broken: \(error)"
        }
    }
}
