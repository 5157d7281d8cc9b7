/// Why a request got no answer.
package enum HTTPSenderError: Error, Equatable, CustomStringConvertible {
    /// No connection, in the words of an entry's `_error`.
    case cannotConnect(host: String, port: Int, reason: String)
    /// The proxy answered CONNECT with another status than 2xx.
    case refusedByProxy(status: Int)
    /// No TLS with the server, in the words of an entry's `_error`.
    case handshake(host: String, reason: String)
    /// The connection ended before the answer did.
    case broken(reason: String)
    /// A kept connection was closed before a request was written to it.
    case closedWhileIdle
    /// A kept connection was closed before anything of the answer came; the server may have done what it was asked.
    case closedUnanswered
    case timedOut(seconds: Int64)
    /// Nobody waits for the answer any more.
    case interrupted
    /// The URL is not one that can be sent to.
    case unsupportedURL(String)
    /// A part of the request has a line break or a NUL in it, and would be read as another header or another request.
    case unsendable(part: String)

    package var description: String {
        switch self {
        case .cannotConnect(let host, let port, let reason): "no connection to \(host):\(port): \(reason)"
        case .refusedByProxy(let status): "the proxy refused with status \(status)"
        case .handshake(let host, let reason): "no TLS with \(host): \(reason)"
        case .broken(let reason): "the connection broke: \(reason)"
        case .closedWhileIdle: "the server closed the connection"
        case .closedUnanswered: "the server closed the connection without an answer"
        case .timedOut(let seconds): "no answer within \(seconds) s"
        case .interrupted: "interrupted before the answer"
        case .unsupportedURL(let url): "\(url) is no http or https URL"
        case .unsendable(let part):
            "\(part) of the recorded request has a line break or a NUL in it; it is not sent"
        }
    }

    /// As a recorder writes it into the entry (`_error`).
    package var reason: String {
        switch self {
        case .cannotConnect(_, _, let reason), .handshake(_, let reason), .broken(let reason): reason
        case .timedOut: "ERR_CONNECTION_TIMED_OUT: \(description)"
        case .interrupted: "ERR_ABORTED: \(description)"
        case .closedWhileIdle, .closedUnanswered: "ERR_EMPTY_RESPONSE: \(description)"
        case .refusedByProxy, .unsupportedURL, .unsendable: description
        }
    }
}
