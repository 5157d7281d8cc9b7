/// Why a capture file could not be used.
package enum CaptureError: Error, Equatable, CustomStringConvertible {
    /// The file is not HAR: the first thing that is not as it should be, by line and column (1-based).
    case notHAR(path: String, line: Int, column: Int, expected: String)
    /// The file is something else; what it looks like, with its article (`a PNG image`), and what to do.
    case notCapture(path: String, looksLike: String, advice: String)
    /// An archive that is too large, packed too well to be one, encrypted or broken.
    case unusableArchive(path: String, reason: String)
    case noSuchFile(path: String)
    /// Reading or writing failed; the system's words.
    case inputOutput(path: String, reason: String)
    /// Another process is recording into this file.
    case lockedByAnother(path: String, processID: Int32?)
    /// A file of another producer is never appended to.
    case notOurs(path: String, producer: String)

    package var description: String {
        switch self {
        case .notHAR(let path, let line, let column, let expected):
            "\(path):\(line):\(column): expected \(expected)"
        case .notCapture(let path, let looksLike, _):
            "\(path): this looks like \(looksLike), not like a HAR file"
        case .unusableArchive(let path, let reason): "\(path): \(reason)"
        case .noSuchFile(let path): "\(path): no such file"
        case .inputOutput(let path, let reason): "\(path == "-" ? "standard input" : path): \(reason)"
        case .lockedByAnother(let path, let processID):
            "\(path): another authreel is recording into this file"
                + (processID.map { " (process \($0))" } ?? "")
        case .notOurs(let path, let producer):
            "\(path): made by \(producer), not by authreel; it is not appended to"
        }
    }
}
