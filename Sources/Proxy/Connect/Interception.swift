internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// What is known of a client's connection when its first bytes and its provider's connection are there.
struct Interception {
    /// What the entries are made of.
    var entry: TunnelEntry
    /// Nil where the client speaks in clear.
    var hello: ClientHello?
    /// The name that the provider is asked for in TLS; nil where it is spoken to in clear.
    var providerName: String?
    /// Whom the certificate is for that the client is shown.
    var clientName: String
    /// What came of the client so far.
    var held: ByteBuffer
    /// Set where requests may name where we listen.
    var listener: ReverseListener?
    /// Whether the client was led to us by another name than the provider's, so that URLs name the latter.
    var isPlayed = false
    /// Why the bytes are passed on unread; nil where they are not.
    var passes: TunnelFacts.Reason?

    /// The protocols of a client, as offered to the provider; nil where it wants none that can be used.
    ///
    /// Where requests are given another host than the client wrote, they have to be HTTP/1: fields of HTTP/2 cannot be
    /// changed without changing all that follow.
    var protocols: [String]? {
        guard let hello else { return ["http/1.1"] }
        guard listener != nil else { return hello.alpn }
        let usable = hello.alpn.filter { !$0.hasPrefix("h2") }
        return usable.isEmpty && !hello.alpn.isEmpty ? nil : usable
    }

    func conversation(
        maximumBodyBytes: Int,
        maximumHeadBytes: Int,
        budget: RecordingBudget,
        spoolFolder: String?
    ) -> Conversation {
        entry.conversation(
            scheme: providerName == nil ? "http" : "https",
            isAuthorityFixed: isPlayed,
            maximumBodyBytes: maximumBodyBytes,
            maximumHeadBytes: maximumHeadBytes,
            budget: budget,
            spoolFolder: spoolFolder
        )
    }
}
