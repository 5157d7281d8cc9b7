internal import Captures

/// Why the proxy cannot do its work.
package enum ProxyError: Error, Equatable, CustomStringConvertible {
    /// The address to listen on is taken, by whom we cannot tell.
    case addressInUse(host: String, port: Int)
    /// The address where an origin is to be played is taken.
    case reverseAddressInUse(origin: String, host: String, port: Int)
    /// The address cannot be listened on; the reason is the system's.
    case cannotListen(host: String, port: Int, reason: String)
    /// The folder of the authority, or a file in it, cannot be made or read.
    case authority(path: String, reason: String)
    /// The folder of the authority, or a file in it, belongs to another user.
    case authorityOwner(path: String, owner: UInt32)
    /// Others may write into the folder of the authority, which holds more than that.
    case authorityFolderOpen(path: String)
    /// The folder has what would be written over, and may be an authority of another maker, or its key.
    case authorityForeign(path: String)
    /// The certificate or the key of the authority is there and is not what it should be.
    case authorityCorrupt(path: String, reason: String)
    /// What is remembered of changed trust stores cannot be read.
    case trustRecords(path: String, reason: String)
    /// TLS cannot be set up.
    case tls(reason: String)

    package var description: String {
        switch self {
        case .addressInUse(let host, let port):
            "\(URLAuthority.text(host, port: port)) is in use by another program"
        case .reverseAddressInUse(let origin, let host, let port):
            "\(URLAuthority.text(host, port: port)), where \(origin) is to be played, is in use by another program"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(URLAuthority.text(host, port: port)): \(reason)"
        case .authority(let path, let reason), .authorityCorrupt(let path, let reason),
            .trustRecords(let path, let reason):
            "\(path): \(reason)"
        case .authorityOwner(let path, let owner): "\(path): belongs to another user (\(owner))"
        case .authorityFolderOpen(let path):
            "\(path): others may write into this folder, and could put a key of theirs in place of yours"
        case .authorityForeign(let path):
            "\(path): is not known to be of authreel's making, and is not written over"
        case .tls(let reason): reason
        }
    }
}
