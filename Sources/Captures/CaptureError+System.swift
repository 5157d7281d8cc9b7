#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension CaptureError {
    /// Reading or writing failed, in the system's words for a number (`errno`).
    package static func inputOutput(path: String, number: Int32) -> CaptureError {
        .inputOutput(path: path, reason: String(cString: strerror(number)))
    }
}
