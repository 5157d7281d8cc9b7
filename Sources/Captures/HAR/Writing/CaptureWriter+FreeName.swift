#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension CaptureWriter {
    /// Makes a file under the first name that is free: the one that is wanted, then `login-2.har` and so on.
    ///
    /// - Parameters:
    ///   - path: the name that is wanted.
    ///   - isTaken: whether that one is not to be tried.
    ///   - make: makes a file of a name.
    /// - Returns: the writer of that file.
    /// - Throws: what `make` throws for another reason than that somebody was quicker.
    package static func firstFree(
        beside path: String,
        isTaken: Bool = false,
        _ make: (String) throws(CaptureError) -> CaptureWriter
    ) throws(CaptureError) -> CaptureWriter {
        let stem = path.hasSuffix(".har") ? String(path.dropLast(4)) : path
        let ending = path.hasSuffix(".har") ? ".har" : ""
        let names = (isTaken ? [] : [path]) + (2...99).map { "\(stem)-\($0)\(ending)" }
        var status = stat()
        for name in names where lstat(name, &status) != 0 {
            // Somebody may have been quicker.
            do throws(CaptureError) { return try make(name) } catch {
                guard lstat(name, &status) == 0 else { throw error }
            }
        }
        throw .inputOutput(path: path, reason: "there is no free name beside it")
    }
}
