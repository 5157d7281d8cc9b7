/// Tells HTTP/2 from HTTP/1 by what was agreed in TLS, else by the client's first bytes.
///
/// A client that knows beforehand that its server speaks HTTP/2 just begins with the preface (RFC 9113, section 3.3).
struct ProtocolSniffer {
    /// Nil until it is known.
    private(set) var isHTTP2: Bool?
    private var held: [UInt8] = []

    /// `alpn`: what was agreed in TLS; nil in clear, and where nothing was.
    init(alpn: String?) { isHTTP2 = alpn == "h2" ? true : nil }

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

    /// Looks at what the server says before the client has been understood: its settings, where it knows, too.
    ///
    /// Returns whether that decides for HTTP/2.
    mutating func serverSpoke(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // A SETTINGS frame shorter than 64 KiB; no other protocol of interest begins with a zero.
        guard isHTTP2 == nil, bytes.first == 0, bytes.count < 4 || bytes[3] == HTTP2FrameType.settings else {
            return false
        }
        isHTTP2 = true
        return true
    }

    /// What was held of the client when the server decided.
    mutating func takeHeld() -> [UInt8] {
        defer { held = [] }
        return held
    }

    private mutating func decided(_ isHTTP2: Bool, _ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        self.isHTTP2 = isHTTP2
        guard !held.isEmpty else { return [] }
        defer { held = [] }
        return held + bytes
    }
}
