/// Tells HTTP/2 from HTTP/1 by what was agreed in TLS, else by the client's first bytes.
///
/// A client that knows beforehand that its server speaks HTTP/2 just begins with the preface (RFC 9113, section 3.3).
struct ProtocolSniffer {
    /// Nil until it is known.
    private(set) var isHTTP2: Bool?
    /// Whether the server has begun with its settings, of which the client, silent so far, may know nothing.
    private(set) var hasServerSettings = false
    private var held: [UInt8] = []
    private var heldOfServer: [UInt8] = []
    /// Whether the server has said what no frame of HTTP/2 begins with.
    private var hasServerBegun = false

    /// `alpn`: what was agreed in TLS; nil in clear, and where nothing was.
    init(alpn: String?) { isHTTP2 = alpn == "h2" ? true : nil }

    /// The client's bytes that there are show that it is HTTP/2, which began before them.
    mutating func isInTheMiddle() { isHTTP2 = true }

    /// Takes the client's bytes while they could be either.
    ///
    /// - Returns: nil while it is not known; then all bytes so far, or none where they are those of this call.
    mutating func received(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let preface = HTTP2Decoder.preface
        let wanted = preface[held.count...].prefix(bytes.count)
        guard zip(wanted, bytes).allSatisfy({ $0 == $1 }) else { return decided(false, bytes) }
        if held.count + bytes.count >= preface.count { return decided(true, bytes) }
        held.append(contentsOf: bytes)
        return nil
    }

    /// What the server's bytes come to, before the client has been understood.
    enum ServerBytes {
        /// They go their way.
        case known
        /// They could be the beginning of a frame of HTTP/2, and are kept until that shows.
        case held
        /// All of them so far, now that it shows.
        case whole([UInt8])
    }

    /// Looks at what the server says first: before the client has been understood its settings, where it knows, too.
    ///
    /// With them it is decided for HTTP/2, unless the client comes with a request of HTTP/1 (``hasServerSettings``). Behind such a
    /// request they are told as what they are, once they show.
    mutating func serverSpoke(_ bytes: UnsafeBufferPointer<UInt8>) -> ServerBytes {
        guard isHTTP2 != true, !hasServerBegun, heldOfServer.first ?? bytes.first == 0 else {
            hasServerBegun = true
            return .known
        }
        heldOfServer.append(contentsOf: bytes)
        guard let isSettings = HTTP2Settings.begin(heldOfServer) else { return .held }
        hasServerBegun = true
        let bytes = takeHeldOfServer()
        guard isHTTP2 == nil, isSettings else { return .whole(bytes) }
        if held.isEmpty {
            hasServerSettings = true
            // Enough to show what the request was answered with.
            heldOfServer = Array(bytes.prefix(HTTP2Decoder.preface.count))
        } else {
            isHTTP2 = true
        }
        return .whole(bytes)
    }

    /// The client's first bytes are missing: what comes next of it can stand anywhere in a frame.
    mutating func lostClient() {
        if hasServerSettings { isHTTP2 = true }
    }

    /// What was held of the server when the client decided, or the connection ended; nothing where it has been read as HTTP/2.
    mutating func takeHeldOfServer() -> [UInt8] {
        guard !heldOfServer.isEmpty, !hasServerSettings || isHTTP2 == false else { return [] }
        defer { heldOfServer = [] }
        return heldOfServer
    }

    /// What was held of the client when the server decided.
    mutating func takeHeld() -> [UInt8] {
        defer { held = [] }
        return held
    }

    private mutating func decided(_ isHTTP2: Bool, _ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        // No frame is as long as letters in the place of its length would say.
        let isLetter = (held.first ?? bytes.first).map { (0x41...0x5a).contains($0) } ?? false
        self.isHTTP2 = isHTTP2 || hasServerSettings && !isLetter
        guard !held.isEmpty else { return [] }
        defer { held = [] }
        return held + bytes
    }
}
