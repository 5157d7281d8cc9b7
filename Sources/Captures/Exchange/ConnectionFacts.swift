/// What is known of the connections that carried an exchange.
package struct ConnectionFacts: Sendable, Hashable {
    private struct Known: Sendable, Hashable {
        var id: String?
        var serverAddress: String?
        var clientTLSVersion: String?
        var serverTLSVersion: String?
        var cipher: String?
        var serverName: String?
        var alpn: String?
    }

    /// On the heap: other producers write none of it.
    private var box: Shared<Known>?

    private var known: Known {
        get { box?.value ?? Known() }
        set { box = newValue == Known() ? nil : Shared(newValue) }
    }

    /// Number of the client's connection in this recording; exchanges of one connection share it.
    package var id: String? {
        get { box?.value.id }
        set { known.id = newValue }
    }
    /// `ADDRESS:PORT` of the provider's end.
    package var serverAddress: String? {
        get { box?.value.serverAddress }
        set { known.serverAddress = newValue }
    }
    /// `TLSv1.3`, … between client and recorder; nil in clear.
    package var clientTLSVersion: String? {
        get { box?.value.clientTLSVersion }
        set { known.clientTLSVersion = newValue }
    }
    /// `TLSv1.3`, … between recorder and server; nil in clear.
    package var serverTLSVersion: String? {
        get { box?.value.serverTLSVersion }
        set { known.serverTLSVersion = newValue }
    }
    package var cipher: String? {
        get { box?.value.cipher }
        set { known.cipher = newValue }
    }
    package var serverName: String? {
        get { box?.value.serverName }
        set { known.serverName = newValue }
    }
    package var alpn: String? {
        get { box?.value.alpn }
        set { known.alpn = newValue }
    }

    package init(
        id: String? = nil,
        serverAddress: String? = nil,
        clientTLSVersion: String? = nil,
        serverTLSVersion: String? = nil,
        cipher: String? = nil,
        serverName: String? = nil,
        alpn: String? = nil
    ) {
        known = Known(
            id: id,
            serverAddress: serverAddress,
            clientTLSVersion: clientTLSVersion,
            serverTLSVersion: serverTLSVersion,
            cipher: cipher,
            serverName: serverName,
            alpn: alpn
        )
    }

    package static func == (left: Self, right: Self) -> Bool { left.known == right.known }

    package func hash(into hasher: inout Hasher) { hasher.combine(known) }
}

/// Who sent a request (`_authreel.client`).
package struct ClientFacts: Sendable, Hashable {
    private struct Known: Sendable, Hashable {
        var process: String?
        var processID: Int32?
        var address: String?
    }

    /// On the heap: other producers write none of it.
    private var box: Shared<Known>?

    private var known: Known {
        get { box?.value ?? Known() }
        set { box = newValue == Known() ? nil : Shared(newValue) }
    }

    /// Name of the process that owned the socket, for example `chromium`, `apache2`.
    package var process: String? {
        get { box?.value.process }
        set { known.process = newValue }
    }
    package var processID: Int32? {
        get { box?.value.processID }
        set { known.processID = newValue }
    }
    /// `ADDRESS:PORT` of the client's end.
    package var address: String? {
        get { box?.value.address }
        set { known.address = newValue }
    }

    package init(
        process: String? = nil,
        processID: Int32? = nil,
        address: String? = nil
    ) {
        known = Known(process: process, processID: processID, address: address)
    }

    package static func == (left: Self, right: Self) -> Bool { left.known == right.known }

    package func hash(into hasher: inout Hasher) { hasher.combine(known) }
}

/// A value that its owners share and none of them changes.
private final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
