/// A request to the proxy itself.
struct OwnRequest: Equatable {
    /// Which way it came, and so what is known of the client's settings.
    enum Way: Equatable {
        /// To the proxy's address, as to any server: the client need not know of the proxy.
        case direct
        /// By the proxy, in clear.
        case proxied
        /// By the proxy, inside TLS with a certificate of ours.
        case intercepted
    }

    var method: String
    /// With the query, as sent.
    var path: String
    var userAgent = ""
    var way = Way.direct
}

extension OwnRequest {
    init(_ request: ProxyRequest) {
        method = request.method
        path = request.path
        userAgent = request.userAgent
        if case .absolute = request.target { way = .proxied }
    }
}
