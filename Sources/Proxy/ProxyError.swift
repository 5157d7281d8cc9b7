/// Why the proxy cannot do its work.
package enum ProxyError: Error, Equatable, CustomStringConvertible {
    /// The address to listen on is taken, by whom we cannot tell.
    case addressInUse(host: String, port: Int)
    /// The address cannot be listened on; the reason is the system's.
    case cannotListen(host: String, port: Int, reason: String)
    /// The folder of the authority, or a file in it, cannot be made or read.
    case authority(path: String, reason: String)
    /// TLS cannot be set up.
    case tls(reason: String)

    package var description: String {
        switch self {
        case .addressInUse(let host, let port): "\(host):\(port) is in use by another program"
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
        case .authority(let path, let reason): "\(path): \(reason)"
        case .tls(let reason): reason
        }
    }
}
