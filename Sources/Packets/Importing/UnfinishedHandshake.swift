internal import Wire

/// A TLS handshake that ended before it was done, with no alert that says why.
struct UnfinishedHandshake {
    /// What ended first of the connection, and when; nil where nothing did.
    var end: ConnectionEnd?
    /// Whether the client came to the end of its hello.
    var isHelloWhole: Bool
    /// Whether anything of the server answered the client's hello.
    var isAnswered: Bool
    /// Whether the server's certificate was among that.
    var hasCertificate: Bool

    /// What happened, in the words by which failures of these kinds are known.
    var reason: String {
        let what = end?.isReset == true ? "reset" : "closed"
        return switch end?.by {
        case .server: "server TLS handshake failed: the server \(what) the connection \(missing)"
        case .client: "the client \(what) the connection \(moment(ofHello: "its hello"))"
        case nil: "the capture ends \(moment(ofHello: "the client's hello"))"
        }
    }

    private var missing: String {
        guard isHelloWhole else { return "before the client's hello was whole" }
        return isAnswered ? "before its handshake was done" : "without an answer to the client's hello"
    }

    private func moment(ofHello hello: String) -> String {
        guard isHelloWhole else { return "before \(hello) was whole" }
        guard isAnswered else { return "before the server answered the client's hello" }
        return hasCertificate
            ? "before the TLS handshake was done, after the server's certificate"
            : "before the TLS handshake was done"
    }
}
