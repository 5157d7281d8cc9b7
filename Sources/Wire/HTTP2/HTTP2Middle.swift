internal import Captures
internal import NIOCore

/// Looks for HTTP/2 on a connection whose beginning is not there: nothing says that it is HTTP/2, but what stands in its frames.
///
/// Incremental: a packet, or a record of TLS, that begins with a frame is frames up to its end. The head of a request has to be among
/// them. It has its method first, which each table of HPACK has for `GET` and `POST`: what is said so without the bytes before is no
/// chance.
package struct HTTP2Middle {
    /// Where a client's frames begin, with a request among them.
    package struct Beginning {
        /// From the beginning of a frame on.
        package let bytes: [UInt8]
        /// Of the first request.
        package let stream: UInt32
    }

    /// What frames from a place on come to.
    private enum Found {
        /// A request on this stream.
        case request(UInt32)
        /// More of the frame at this place may be the head of one.
        case open(Int)
        case nothing
    }

    /// Of frames whose end has not come.
    private static let most = HTTP2FrameHeader.size + FrameSearch.usualLength

    /// What began with a frame, and has no request yet.
    private var held: [UInt8] = []
    /// Where in that the first frame begins that is not whole.
    private var place = 0

    package init() {}

    /// Takes the client's next bytes, those of a packet or record; nil where there is no request yet.
    package mutating func received(_ bytes: UnsafeRawBufferPointer) -> Beginning? {
        if !held.isEmpty {
            held += bytes
            switch held.withUnsafeBufferPointer({ Self.look($0, from: place) }) {
            case .request(let stream):
                defer { forget() }
                return Beginning(bytes: held, stream: stream)
            case .open(let next) where held.count < Self.most: place = next
            case .open, .nothing: forget()
            }
            // It may have been none that goes on here.
            guard held.isEmpty else { return nil }
        }
        switch Self.look(bytes.bindMemory(to: UInt8.self), from: 0) {
        case .request(let stream): return Beginning(bytes: Array(bytes), stream: stream)
        case .open(let next) where bytes.count < Self.most:
            held = Array(bytes)
            place = next
            return nil
        case .open, .nothing: return nil
        }
    }

    /// What comes next does not go on with what there was.
    package mutating func forget() {
        held = []
        place = 0
    }

    /// Who says what begins with whole frames, by the first head among them; nil where that does not tell.
    package static func sender(of bytes: UnsafeRawBufferPointer) -> Side? {
        let bytes = bytes.bindMemory(to: UInt8.self)
        var place = 0
        var sender: Side?
        while let frame = frame(bytes, place) {
            place = frame.end
            guard place <= bytes.count else {
                return frame.header.type == HTTP2FrameType.data ? sender : nil
            }
            sender = sender ?? head(frame.header, bytes[(frame.end - frame.header.length)..<frame.end])
        }
        return place == bytes.count ? sender : nil
    }

    private static func look(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Found {
        var place = start
        var stream: UInt32?
        while place < bytes.count {
            guard bytes.count - place >= HTTP2FrameHeader.size else {
                return mayBeginFrame(bytes[place...]) ? stream.map { .request($0) } ?? .open(place) : .nothing
            }
            guard let frame = frame(bytes, place) else { return .nothing }
            guard frame.end <= bytes.count else {
                if let stream { return .request(stream) }
                // Of a body whose request is not there the end tells nothing.
                return frame.header.type == HTTP2FrameType.data ? .nothing : .open(place)
            }
            if stream == nil,
                head(frame.header, bytes[(frame.end - frame.header.length)..<frame.end]) == .client
            {
                stream = frame.header.stream
            }
            place = frame.end
        }
        return stream.map { .request($0) } ?? .nothing
    }

    private static func frame(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> (
        header: HTTP2FrameHeader, end: Int
    )? {
        FrameSearch.header(bytes, place, FrameSearch.usualLength) { _ in true }.map {
            ($0, place + HTTP2FrameHeader.size + $0.length)
        }
    }

    /// Whether a frame may begin so of whose header not all has come: it is no longer than usual.
    private static func mayBeginFrame(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let bytes = Array(bytes)
        return bytes[0] == 0 && (bytes.count < 2 || Int(bytes[1]) << 8 <= FrameSearch.usualLength)
            && (bytes.count < 4 || bytes[3] <= HTTP2FrameType.priorityUpdate)
    }

    /// Whose head a frame is, of a request or of an answer; nil where it is none, or not whole.
    private static func head(_ header: HTTP2FrameHeader, _ payload: Slice<UnsafeBufferPointer<UInt8>>)
        -> Side?
    {
        guard header.type == HTTP2FrameType.headers, header.stream % 2 == 1, header.has(.endHeaders) else {
            return nil
        }
        let frame = ControlFrame(
            header: header,
            payload: Array(payload),
            side: .client,
            offset: 0,
            time: Timestamp(nanoseconds: 0)
        )
        guard let block = frame.unpadded(behind: header.has(.priority) ? 5 : 0) else { return nil }
        var decoder = HeaderBlockDecoder.withoutThePast
        guard let fields = try? decoder.decode(ByteBuffer(bytes: block)).fields else { return nil }
        let method = fields.first { $0.name == ":method" }?.value
        let hasStatus = fields.contains { $0.name == ":status" }
        guard let method else { return hasStatus ? .server : nil }
        return !hasStatus && !method.isEmpty && method.utf8.allSatisfy(\.isTokenCharacter) ? .client : nil
    }
}
