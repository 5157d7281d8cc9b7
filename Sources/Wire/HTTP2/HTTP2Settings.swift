/// The SETTINGS frame with which each side of HTTP/2 begins (RFC 9113, sections 3.4 and 6.5).
package enum HTTP2Settings {
    /// Whether these are the first bytes of a side that begins with one, shorter than 64 KiB; nil where more of them could tell.
    ///
    /// A client has the preface before it. No other protocol of interest begins with a zero.
    package static func begin(_ bytes: some Collection<UInt8>) -> Bool? {
        let head = Array(bytes.prefix(HTTP2FrameHeader.size))
        for (place, byte) in head.enumerated() where place != 1 && place != 2 {
            // No flags, and of the connection.
            guard byte == (place == 3 ? HTTP2FrameType.settings : 0) else { return false }
        }
        // Each takes six bytes.
        if head.count > 2, HTTP2FrameHeader.number(head[1..<3]) % 6 != 0 { return false }
        return head.count < HTTP2FrameHeader.size ? nil : true
    }
}
