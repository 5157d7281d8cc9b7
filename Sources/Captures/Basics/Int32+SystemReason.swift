#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Int32 {
    /// The system's own words for this number (`errno`), as `Permission denied`.
    package var systemReason: String { String(cString: strerror(self)) }
}
