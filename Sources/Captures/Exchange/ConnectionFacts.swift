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

    package init(
        id: String? = nil,
        serverAddress: String? = nil,
        clientTLSVersion: String? = nil,
        serverTLSVersion: String? = nil,
        cipher: String? = nil,
        serverName: String? = nil,
        alpn: String? = nil
    ) {
        self.id = id
        self.serverAddress = serverAddress
        self.clientTLSVersion = clientTLSVersion
        self.serverTLSVersion = serverTLSVersion
        self.cipher = cipher
        self.serverName = serverName
        self.alpn = alpn
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

extension ConnectionFacts { package init() { self.init(id: nil) } }

extension ClientFacts { package init() { self.init(process: nil) } }
