/// Cuts one direction of an HTTP/2 connection into frames (RFC 9113, section 4).
///
/// Incremental. The payload of DATA is passed on in the slices in which it comes, padding taken off; of other frames
/// it is collected as far as a listener needs it, of unknown ones not at all.
struct FrameReader {
    /// What the next bytes are.
    enum Piece: Equatable {
        case needsMore
        /// These bytes of the input are a body's.
        case data(Range<Int>, HTTP2FrameHeader)
        /// A DATA frame is over.
        case endOfData(HTTP2FrameHeader)
        /// Any other frame, whole; its payload is ``FrameReader/payload``.
        case frame(HTTP2FrameHeader)
        /// No frames, or none that anybody would take.
        case broken(String)
        /// Something else where a frame was to begin, in words.
        case noFrame(String)
    }

    /// Longer header blocks are not followed; what peers allow each other is mostly a 16th of it.
    static let maximumHeaderBlock = 256 << 10

    private enum State {
        case header
        case payload(HTTP2FrameHeader, remaining: Int)
        /// The byte that says how much of a DATA frame is padding is awaited.
        case padLength(HTTP2FrameHeader)
        case data(HTTP2FrameHeader, remaining: Int, padding: Int)
        case padding(HTTP2FrameHeader, remaining: Int)
    }

    private var state = State.header
    private var pending: [UInt8] = []
    /// Of the last frame that was returned: its first bytes, as many as are of use.
    private(set) var payload: [UInt8] = []
    /// The largest payload so far.
    private(set) var longest = 0

    /// Passes over bytes that are missing.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - body: is told of how many bytes of a body those are, and in which frame.
    /// - Returns: false, and nothing has changed, where the end of what they are of is not known.
    mutating func skip(_ count: Int, body: (Int, HTTP2FrameHeader) -> Void) -> Bool {
        switch state {
        case .data(let header, let remaining, let padding) where count <= remaining + padding:
            body(min(count, remaining), header)
            state =
                count <= remaining
                ? .data(header, remaining: remaining - count, padding: padding)
                : .padding(header, remaining: padding - (count - remaining))
        case .padding(let header, let remaining) where count <= remaining:
            state = .padding(header, remaining: remaining - count)
        case .payload(let header, let remaining) where count < remaining && Self.useful(header) == 0:
            state = .payload(header, remaining: remaining - count)
        default: return false
        }
        return true
    }

    /// The stream whose body is at hand, with how many bytes of it are still to come in this frame.
    var openData: (stream: UInt32, remaining: Int)? {
        guard case .data(let header, let remaining, _) = state else { return nil }
        return (header.stream, remaining)
    }

    /// Begins with the next byte.
    mutating func startOver() {
        state = .header
        pending = []
        payload = []
    }

    /// The next piece of the input from `index` on; moves `index` behind what it took.
    mutating func next(_ input: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Piece {
        while true {
            switch state {
            case .header:
                guard let header = header(input, &index) else { return .needsMore }
                if header.isText { return .noFrame(header.isAnswerOfHTTP1 ? "an answer of HTTP/1" : "text") }
                if let reason = begin(header) { return .broken(reason) }
            case .payload(let header, let remaining):
                let count = min(remaining, input.count - index)
                let kept = min(count, Self.useful(header) - payload.count)
                if kept > 0 { payload.append(contentsOf: input[index..<(index + kept)]) }
                index += count
                guard count == remaining else {
                    state = .payload(header, remaining: remaining - count)
                    return .needsMore
                }
                state = .header
                return .frame(header)
            case .padLength(let header):
                guard index < input.count else { return .needsMore }
                let padding = Int(input[index])
                index += 1
                guard padding < header.length else {
                    return .broken("a DATA frame with more padding than bytes")
                }
                state = .data(header, remaining: header.length - 1 - padding, padding: padding)
            case .data(let header, let remaining, let padding):
                guard remaining > 0 else {
                    state = .padding(header, remaining: padding)
                    continue
                }
                let count = min(remaining, input.count - index)
                guard count > 0 else { return .needsMore }
                let range = index..<(index + count)
                index += count
                state = .data(header, remaining: remaining - count, padding: padding)
                return .data(range, header)
            case .padding(let header, let remaining):
                let count = min(remaining, input.count - index)
                index += count
                guard count == remaining else {
                    state = .padding(header, remaining: remaining - count)
                    return .needsMore
                }
                state = .header
                return .endOfData(header)
            }
        }
    }

    private mutating func header(_ input: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> HTTP2FrameHeader?
    {
        let size = HTTP2FrameHeader.size
        if pending.isEmpty, input.count - index >= size {
            defer { index += size }
            return HTTP2FrameHeader(UnsafeBufferPointer(rebasing: input[index..<(index + size)]))
        }
        let count = min(size - pending.count, input.count - index)
        pending.append(contentsOf: input[index..<(index + count)])
        index += count
        guard pending.count == size else { return nil }
        defer { pending.removeAll(keepingCapacity: true) }
        return pending.withUnsafeBufferPointer { HTTP2FrameHeader($0) }
    }

    /// What is wrong with a frame already by its header; nil where it is to be read.
    private mutating func begin(_ header: HTTP2FrameHeader) -> String? {
        payload.removeAll(keepingCapacity: payload.capacity <= 16 << 10)
        longest = max(longest, header.length)
        guard header.type == HTTP2FrameType.data else {
            state = .payload(header, remaining: header.length)
            guard Self.carriesHeaders(header), header.length > Self.maximumHeaderBlock else { return nil }
            return "a header block of more than 256 KiB"
        }
        guard header.has(.padded) else {
            state = .data(header, remaining: header.length, padding: 0)
            return nil
        }
        state = .padLength(header)
        return header.length > 0 ? nil : "a padded DATA frame without the length of its padding"
    }

    private static func carriesHeaders(_ header: HTTP2FrameHeader) -> Bool {
        header.type == HTTP2FrameType.headers || header.type == HTTP2FrameType.pushPromise
            || header.type == HTTP2FrameType.continuation
    }

    /// Bytes of a payload that a listener reads.
    private static func useful(_ header: HTTP2FrameHeader) -> Int {
        switch header.type {
        case HTTP2FrameType.headers, HTTP2FrameType.pushPromise, HTTP2FrameType.continuation:
            maximumHeaderBlock
        case HTTP2FrameType.settings: 4096
        case HTTP2FrameType.goAway: 8 + 128
        case HTTP2FrameType.rstStream: 4
        default: 0
        }
    }
}
