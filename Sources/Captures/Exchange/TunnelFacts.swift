/// A tunnel whose bytes were passed on unread (`_authreel.tunnel`).
package struct TunnelFacts: Blank {
    /// Why nobody looked into it.
    package enum Reason: String, Sendable, Hashable {
        /// The user wanted this host left alone.
        case asked
        /// This client does not accept the recorder's certificate for this host (certificate pinning).
        case clientRejectsRecorder = "client-rejects-recorder"
        /// Taken from packets, without the keys of its TLS.
        case noKeys = "no-keys"
        /// Taken from packets that are not all of it, or not whole: no key opens what there is.
        case notWhole = "not-whole"
    }

    /// Nil for an exchange that is no such tunnel.
    package var reason: Reason?
    /// From the client to the server.
    package var sentBytes: Int?
    /// From the server to the client.
    package var receivedBytes: Int?

    package init(reason: Reason?, sentBytes: Int? = nil, receivedBytes: Int? = nil) {
        self.reason = reason
        self.sentBytes = sentBytes
        self.receivedBytes = receivedBytes
    }
}

extension TunnelFacts { package init() { self.init(reason: nil) } }
