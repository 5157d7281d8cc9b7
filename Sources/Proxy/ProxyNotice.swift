package import Captures

/// What the proxy tells whoever started it; nothing of it stops the traffic.
package enum ProxyNotice: Sendable, Hashable {
    /// Entries could not be written. Said once; forwarding goes on.
    case recordingFailed(reason: String)
    /// A client does not accept our certificate; whether it is passed through to the host from its next connection on.
    case clientRejectedCertificate(host: String, client: ClientFacts, alert: String?, passesThrough: Bool)
    /// A client went right behind its TLS handshake without a request: it does not accept our certificate, or had no use for the
    /// connection. Said once of a client and a host.
    case clientLeftBehindHandshake(host: String, client: ClientFacts)
    /// A client was asked for the user name and password of the proxy. Many clients wait to be asked; some cannot answer.
    case askedForPassword(client: ClientFacts)
    /// A request that the proxy cannot act on, and has answered itself; whether there is an entry of it.
    case requestRefused(status: Int, reason: String, client: ClientFacts, isRecorded: Bool)
    /// A host that the authority may not sign for: its TLS is passed on unread.
    case outsideScope(host: String)
    /// A client has seen the proxy's own page by https, so that its https can be recorded.
    case clientIsIntercepted(client: ClientFacts)
    /// There is no connection to a provider; the words are those of the entry, with what to do about it.
    case upstreamFailed(host: String, reason: String, hint: String?)
    /// What was said in a tunnel is not HTTP; it was passed on.
    case notHTTP(host: String)
    /// There are as many connections as are allowed; further ones are closed. Said once.
    case tooManyConnections(limit: Int)
    /// No more files can be opened: clients wait to be accepted, and there are no further connections to providers.
    case outOfDescriptors
    /// A provider's certificate would not have been accepted, had checking not been switched off.
    case toleratedCertificate(host: String, reason: String)
    /// A provider asked for a certificate, and there is none for it.
    case clientCertificateMissing(host: String)
    /// A provider asked for a certificate and was shown this one.
    case clientCertificateShown(host: String, subject: String)
}
