import JSON

/// Cuts what one socket was given to send into the bodies of its requests: HTTP/1.1, or the frames of HTTP/2.
///
/// The rest of a request stands elsewhere in the log. Whatever cannot be followed ends the reading of this socket; nothing is
/// guessed.
struct NetLogSentBytes {
    /// A body, whole.
    struct Body {
        var request: Request
        var bytes: [UInt8]
    }

    /// What the body belongs to.
    enum Request: Hashable {
        /// By its request line and its `Host`.
        case line(method: String, url: String)
        /// By the number of its stream.
        case stream(Int)
    }

    private enum Phase {
        case beginning
        case head
        case body(Request, Int)
        /// So many bytes of a body that is too large to be kept.
        case skipping(Int)
        case frames
        case over
    }

    private var phase = Phase.beginning
    private var pending: [UInt8] = []
    /// Bytes of the head under way in which its end does not begin.
    private var searched = 0
    /// Bodies of streams under way.
    private var streams: [Int: [UInt8]] = [:]
    /// Streams whose bodies are too large to be kept.
    private var tooLarge: Set<Int> = []

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let headEnd = Array("\r\n\r\n".utf8)
    private static let largestHead = 256 << 10
    /// Requests of a login are small; Chromium's frames are 16 KiB at most unless the server wants larger ones.
    private static let largestBody = 1 << 20
    private static let mostStreams = 1024

    /// Bytes that are held.
    var weight: Int { pending.count + streams.values.reduce(0) { $0 + $1.count } }

    /// The bodies that are whole with these bytes.
    mutating func take(_ bytes: [UInt8]) -> [Body] {
        if case .over = phase { return [] }
        pending += bytes
        var found: [Body] = []
        var index = 0
        while step(&index, &found) {}
        if case .over = phase {
            pending = []
            streams = [:]
        } else {
            pending.removeFirst(index)
        }
        return found
    }

    /// Takes the next piece; false where there is none, or not all of it.
    private mutating func step(_ index: inout Int, _ found: inout [Body]) -> Bool {
        let left = pending.count - index
        switch phase {
        case .over: return false
        case .beginning:
            guard left >= Self.preface.count || !Self.preface.starts(with: pending) else { return false }
            if pending.starts(with: Self.preface) {
                index = Self.preface.count
                phase = .frames
            } else {
                phase = .head
            }
            return true
        case .head: return takeHead(&index, &found)
        case .body(let request, let count):
            guard left >= count else { return false }
            found.append(Body(request: request, bytes: Array(pending[index..<(index + count)])))
            index += count
            phase = .head
            return true
        case .skipping(let count):
            let skipped = min(left, count)
            index += skipped
            phase = skipped == count ? .head : .skipping(count - skipped)
            return skipped == count
        case .frames: return takeFrame(&index, &found)
        }
    }

    // MARK: - HTTP/1.1

    private mutating func takeHead(_ index: inout Int, _ found: inout [Body]) -> Bool {
        let start = index + searched
        searched = 0
        let rest = pending[index...]
        guard rest.first.map({ (0x41...0x5a).contains($0) }) ?? true else {
            phase = .over
            return false
        }
        guard let end = pending[start...].firstRange(of: Self.headEnd) else {
            if rest.count > Self.largestHead { phase = .over }
            searched = max(0, rest.count - (Self.headEnd.count - 1))
            return false
        }
        let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[0] != "CONNECT" else {
            phase = .over
            return false
        }
        let headers = HeaderFields(Producers.fields(.array(lines.dropFirst().map { .string(String($0)) })))
        index = end.upperBound
        let lengths = headers.all("content-length")
        guard !headers.contains("transfer-encoding"), !headers.contains("upgrade"), lengths.count < 2,
            let count = lengths.isEmpty ? 0 : Int(lengths[0]), count >= 0
        else {
            phase = .over
            return false
        }
        let host = headers.first("host") ?? ""
        // To a proxy, the whole URL.
        let url = words[1].hasPrefix("/") ? host + words[1] : NetLogSentBytes.withoutScheme(String(words[1]))
        if count > Self.largestBody {
            phase = .skipping(count)
        } else if count > 0 {
            phase = .body(.line(method: String(words[0]), url: url), count)
        }
        return true
    }

    /// `HOST:PORT/PATH?QUERY` of a URL, without its fragment.
    static func withoutScheme(_ url: String) -> String {
        let end = url.utf8.firstIndex(of: 0x23) ?? url.endIndex
        let start = url.utf8.firstRange(of: Array("://".utf8))?.upperBound ?? url.startIndex
        return start < end ? String(url[start..<end]) : ""
    }

    // MARK: - HTTP/2

    /// RFC 9113, sections 4.1 and 6.1.
    private mutating func takeFrame(_ index: inout Int, _ found: inout [Body]) -> Bool {
        guard pending.count - index >= 9 else { return false }
        let head = pending[index..<(index + 9)].map(Int.init)
        let length = head[0] << 16 | head[1] << 8 | head[2]
        guard length <= Self.largestBody else {
            phase = .over
            return false
        }
        guard pending.count - index >= 9 + length else { return false }
        let payload = pending[(index + 9)..<(index + 9 + length)]
        index += 9 + length
        let flags = head[4]
        let stream = (head[5] & 0x7f) << 24 | head[6] << 16 | head[7] << 8 | head[8]
        // RST_STREAM: what there is of its body is no body.
        if head[3] == 3 {
            streams[stream] = nil
            tooLarge.remove(stream)
        }
        guard head[3] == 0 else { return true }
        let padding = flags & 0x8 != 0 ? Int(payload.first ?? 0) : 0
        let data = flags & 0x8 != 0 ? payload.dropFirst().dropLast(padding) : payload
        let isKept = streams[stream] != nil || streams.count + tooLarge.count < Self.mostStreams
        if isKept, !tooLarge.contains(stream) {
            streams[stream, default: []] += data
            if streams[stream, default: []].count > Self.largestBody {
                streams[stream] = nil
                tooLarge.insert(stream)
            }
        }
        guard flags & 0x1 != 0 else { return true }
        tooLarge.remove(stream)
        if let bytes = streams.removeValue(forKey: stream), !bytes.isEmpty {
            found.append(Body(request: .stream(stream), bytes: bytes))
        }
        return true
    }
}
