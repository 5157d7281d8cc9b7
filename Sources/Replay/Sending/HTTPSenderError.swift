/// Why a request got no answer.
package enum HTTPSenderError: Error, Equatable, CustomStringConvertible {
    /// No connection; the system's words.
    case cannotConnect(host: String, port: Int, reason: String)
    /// The proxy answered CONNECT with another status than 2xx.
    case refusedByProxy(status: Int)
    /// No TLS with the server.
    case handshake(host: String, reason: String)
    /// The connection ended before the answer did.
    case broken(reason: String)
    case timedOut(seconds: Int64)
    /// The URL is not one that can be sent to.
    case unsupportedURL(String)

    package var description: String {
        switch self {
        case .cannotConnect(let host, let port, let reason): "no connection to \(host):\(port): \(reason)"
        case .refusedByProxy(let status): "the proxy refused with status \(status)"
        case .handshake(let host, let reason): "no TLS with \(host): \(reason)"
        case .broken(let reason): "the connection broke: \(reason)"
        case .timedOut(let seconds): "no answer within \(seconds) s"
        case .unsupportedURL(let url): "\(url) is no http or https URL"
        }
    }
}
