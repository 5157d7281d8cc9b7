#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The errors of the system that we have words for.
package enum SystemError {
    static let refused = ECONNREFUSED
    static let timedOut = ETIMEDOUT
    static let reset = ECONNRESET
    static let brokenPipe = EPIPE
    static let hostUnreachable = EHOSTUNREACH
    static let networkUnreachable = ENETUNREACH
    /// Another program listens there.
    package static let addressInUse = EADDRINUSE

    /// Whether an attempt to connect found nobody, not even one who refuses.
    package static func isUnanswered(_ code: CInt) -> Bool {
        [timedOut, hostUnreachable, networkUnreachable].contains(code)
    }

    /// Whether the process, or the system, may open no more files and connections.
    package static func isShortage(_ code: CInt) -> Bool { code == EMFILE || code == ENFILE }

    /// The system's own words for a number, as `Connection refused`.
    package static func words(_ code: CInt) -> String { String(cString: strerror(code)) }
}
