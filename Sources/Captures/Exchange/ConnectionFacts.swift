/// What is known of the connections that carried an exchange.
package struct ConnectionFacts: Blank {
    /// Number of the client's connection in this recording; exchanges of one connection share it.
    package var id: String?
    /// `ADDRESS:PORT` of the provider's end.
    package var serverAddress: String?
    /// `TLSv1.3`, … between client and recorder; nil in clear.
    package var clientTLSVersion: String?
    /// `TLSv1.3`, … between recorder and server; nil in clear.
    package var serverTLSVersion: String?
    package var cipher: String?
    package var serverName: String?
    package var alpn: String?
    /// The certificate that the server asked for and was shown, by its SHA-256 in base64url: the `x5t#S256` of tokens
    /// that are bound to it (RFC 8705, section 3.1); empty where it asked for one and was shown none, nil where it asked
    /// for none.
    package var clientCertificate: String?

    package init(
        id: String? = nil,
        serverAddress: String? = nil,
        clientTLSVersion: String? = nil,
        serverTLSVersion: String? = nil,
        cipher: String? = nil,
        serverName: String? = nil,
        alpn: String? = nil,
        clientCertificate: String? = nil
    ) {
        self.id = id
        self.serverAddress = serverAddress
        self.clientTLSVersion = clientTLSVersion
        self.serverTLSVersion = serverTLSVersion
        self.cipher = cipher
        self.serverName = serverName
        self.alpn = alpn
        self.clientCertificate = clientCertificate
    }
}

/// Who sent a request (`_authreel.client`).
package struct ClientFacts: Blank {
    /// Name of the process that owned the socket, for example `chromium`, `apache2`.
    package var process: String?
    package var processID: Int32?
    /// `ADDRESS:PORT` of the client's end.
    package var address: String?

    package init(process: String? = nil, processID: Int32? = nil, address: String? = nil) {
        self.process = process
        self.processID = processID
        self.address = address
    }
}

extension ClientFacts {
    /// Whether both are known, and are not one process: programs of one name may be a browser's stand-in and an app's server.
    package func isOther(than client: ClientFacts) -> Bool {
        if let own = processID, let its = client.processID { return own != its }
        guard let own = process, let its = client.process else { return false }
        return own != its
    }
}

extension ConnectionFacts { package init() { self.init(id: nil) } }

extension ClientFacts { package init() { self.init(process: nil) } }
