#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The errors of the system that we have words for.
package enum SystemError {
    package static let refused = ECONNREFUSED
    package static let timedOut = ETIMEDOUT
    package static let reset = ECONNRESET
    package static let brokenPipe = EPIPE
    package static let hostUnreachable = EHOSTUNREACH
    package static let networkUnreachable = ENETUNREACH
    package static let addressInUse = EADDRINUSE

    /// Whether the process, or the system, may open no more files and connections.
    package static func isShortage(_ code: CInt) -> Bool { code == EMFILE || code == ENFILE }

    package static func words(_ code: CInt) -> String { String(cString: strerror(code)) }
}
