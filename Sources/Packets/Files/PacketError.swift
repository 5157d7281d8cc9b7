/// Why a packet capture could not be used at all.
package enum PacketError: Error, Equatable, CustomStringConvertible {
    case noSuchFile(path: String)
    /// Opening or reading failed; the system's words.
    case cannotBeRead(path: String, reason: String)
    /// The file is no capture that can be read here: where that shows, what is there, and what to do about it.
    case notACapture(path: String, offset: Int, what: String)

    package var description: String {
        switch self {
        case .noSuchFile(let path): "\(path): no such file"
        case .cannotBeRead(let path, let reason): "\(path): \(reason)"
        case .notACapture(let path, let offset, let what): "\(path): byte \(offset): \(what)"
        }
    }
}
