/// What the two ends of a TLS connection have said of themselves and agreed on, as far as it could be read.
package struct TLSStreamFacts: Sendable, Hashable {
    /// The random of the first ClientHello in hexadecimal: what key logs go by.
    ///
    /// Nil before it is there.
    package internal(set) var clientRandom: String?
    /// The host that the client named (RFC 6066, section 3).
    package internal(set) var serverName: String?
    /// The protocols that the client offered (RFC 7301), in its order.
    package internal(set) var offeredALPN: [String] = []
    /// The one that the server took.
    package internal(set) var alpn: String?
    /// `TLSv1.3`, `TLSv1.2`, `TLSv1.1`, `TLSv1`, as OpenSSL writes them.
    package internal(set) var version: String?
    /// By the name that IANA has for it, like `TLS_AES_128_GCM_SHA256`; the number, like `0x1A2B`, where there is none.
    package internal(set) var cipherSuite: String?
    /// Whether it goes on with an earlier session.
    package internal(set) var isResumed = false
    /// Whether the client offered to send data before the handshake has ended (RFC 8446, section 2.3).
    package internal(set) var offersEarlyData = false
    /// Whether the server took that data.
    package internal(set) var usesEarlyData = false
    /// Whether the server showed a certificate.
    package internal(set) var showsServerCertificate = false
    /// Whether the server asked for a client's certificate, in the handshake or afterwards.
    package internal(set) var wantsClientCertificate = false
    /// Whether the client showed one.
    package internal(set) var showsClientCertificate = false

    package init() {}

    /// Takes what the client says of itself.
    mutating func hello(_ hello: TLSClientHello) {
        clientRandom = hello.random.description
        serverName = hello.serverName
        offeredALPN = hello.alpn
        offersEarlyData = hello.offersEarlyData
    }
}
