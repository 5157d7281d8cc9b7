internal import NIOCore
internal import TLS

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The errors of the system that we have words for.
enum SystemError {
    static let refused = ECONNREFUSED
    static let timedOut = ETIMEDOUT
    static let reset = ECONNRESET
    static let brokenPipe = EPIPE
    static let hostUnreachable = EHOSTUNREACH
    static let networkUnreachable = ENETUNREACH
    static let addressInUse = EADDRINUSE

    static func words(_ code: CInt) -> String { String(cString: strerror(code)) }

    /// What broke a connection that carried exchanges, for their `_error`.
    ///
    /// - Parameters:
    ///   - error: what NIO or TLS reported.
    ///   - who: `client` or `provider`.
    /// - Returns: words that rules recognise.
    static func broken(_ error: any Error, by who: String) -> String {
        switch error {
        case let error as IOError where error.errnoCode == reset: "ECONNRESET: connection reset by the \(who)"
        case let error as IOError where error.errnoCode == timedOut:
            "ERR_CONNECTION_TIMED_OUT: the \(who) no longer answers"
        case let error as IOError: "connection to the \(who) broken: \(words(error.errnoCode))"
        case TLSError.alertReceived(let alert) where alert == .certificateRequired:
            "ERR_BAD_SSL_CLIENT_AUTH_CERT: the \(who) sent TLS alert \(alert.name)"
        case TLSError.alertReceived(let alert): "TLS alert \(alert.name) from the \(who)"
        case let error as TLSError: "ERR_SSL_PROTOCOL_ERROR: connection to the \(who): \(error)"
        default: "connection to the \(who) broken: \(error)"
        }
    }
}
