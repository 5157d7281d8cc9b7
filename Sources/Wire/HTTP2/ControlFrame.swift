internal import Captures

/// A whole frame that is none of a body (RFC 9113, section 4.1), with whose it is.
struct ControlFrame {
    let header: HTTP2FrameHeader
    let payload: [UInt8]
    let side: Side
    /// Where its head begins in the bytes of its side.
    let offset: Int
    let time: Timestamp

    /// The payload without padding, and without as many bytes at its beginning; nil where it is too short for them.
    func unpadded(behind count: Int) -> ArraySlice<UInt8>? {
        guard header.has(.padded) else { return payload.count >= count ? payload.dropFirst(count) : nil }
        guard let padding = payload.first, payload.count >= 1 + count + Int(padding) else { return nil }
        return payload.dropFirst(1 + count).dropLast(Int(padding))
    }
}
