internal import Captures
internal import NIOCore

/// Frames of HTTP/2 on a connection whose beginning is not there: nothing says that it is HTTP/2, but what stands in them.
package enum HTTP2Middle {
    /// Whether a client's bytes, from the beginning of a record of TLS on, are frames up to their end, the head of a request among
    /// them.
    ///
    /// A head has its method first, which each table of HPACK has for `GET` and `POST`: what is said so without the bytes before is no
    /// chance. Of a body behind it the frame's end may be missing.
    package static func hasRequest(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let bytes = bytes.bindMemory(to: UInt8.self)
        var place = 0
        var hasRequest = false
        while place < bytes.count {
            guard let header = FrameSearch.header(bytes, place, FrameSearch.usualLength, { _ in true }) else {
                return false
            }
            let start = place + HTTP2FrameHeader.size
            place = start + header.length
            guard place <= bytes.count else { return hasRequest && header.type == HTTP2FrameType.data }
            if header.type == HTTP2FrameType.headers, header.stream % 2 == 1, header.has(.endHeaders),
                isRequest(header, Array(bytes[start..<place]))
            {
                hasRequest = true
            }
        }
        return hasRequest
    }

    private static func isRequest(_ header: HTTP2FrameHeader, _ payload: [UInt8]) -> Bool {
        let frame = ControlFrame(
            header: header,
            payload: payload,
            side: .client,
            offset: 0,
            time: Timestamp(nanoseconds: 0)
        )
        guard let block = frame.unpadded(behind: header.has(.priority) ? 5 : 0) else { return false }
        var decoder = HeaderBlockDecoder.withoutThePast
        let fields = try? decoder.decode(ByteBuffer(bytes: block)).fields
        return fields?.contains { $0.name == ":method" } == true
    }
}
