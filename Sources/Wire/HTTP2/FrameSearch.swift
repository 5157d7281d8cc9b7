/// Looks for the next frame behind bytes that are missing.
///
/// Frames have no mark of their own. Where one begins a length, a type, its flags and the number of a stream stand that fit each
/// other, and where it ends the next, or what was sent at once: by chance that does not happen.
struct FrameSearch {
    /// The largest frame that is usual (RFC 9113, section 4.2); larger ones are asked for with SETTINGS.
    static let usualLength = 16_384
    /// Frames that have more are not found: so much is held to see where one ends.
    private static let longestLength = 256 << 10
    /// So many frames have to follow each other, where as many have come.
    private static let several = 3
    /// Given up behind so many bytes without a frame.
    static let most = 4 << 20

    private var bytes: [UInt8] = []
    /// Where it is to be looked next.
    private var place = 0
    /// Bytes that are no longer looked at.
    private(set) var passed = 0
    /// Bytes that are held.
    var count: Int { bytes.count }

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - input: the next ones.
    ///   - longest: the largest payload that frames of this direction have had.
    ///   - isStream: whether a stream has this number.
    /// - Returns: what there is from the beginning of a frame on; nil where there is none yet.
    mutating func add(
        _ input: UnsafeBufferPointer<UInt8>,
        longest: Int,
        isStream: (UInt32) -> Bool
    ) -> [UInt8]? {
        bytes.append(contentsOf: input)
        let longest = min(max(longest, Self.usualLength), Self.longestLength)
        let size = HTTP2FrameHeader.size
        let isFound = bytes.withUnsafeBufferPointer { bytes in
            while bytes.count - place >= size {
                switch Self.areFrames(bytes, place, longest, isStream) {
                case true?: return true
                case false?: place += 1
                case nil: return false
                }
            }
            return false
        }
        passed += place
        bytes.removeFirst(place)
        place = 0
        guard isFound else { return nil }
        defer { bytes = [] }
        return bytes
    }

    /// Whether frames follow each other from a place on; nil where the end of the first one has not come.
    private static func areFrames(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ place: Int,
        _ longest: Int,
        _ isStream: (UInt32) -> Bool
    ) -> Bool? {
        var next = place
        for number in 0..<several {
            guard bytes.count - next >= HTTP2FrameHeader.size else {
                // The first one alone has to end with a packet or record.
                return number > 1 || next == bytes.count ? true : nil
            }
            guard let header = header(bytes, next, longest, isStream) else { return false }
            next += HTTP2FrameHeader.size + header.length
        }
        return true
    }

    /// The frame that may begin at a place, by what its type has; nil where none may.
    static func header(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ place: Int,
        _ longest: Int,
        _ isStream: (UInt32) -> Bool
    ) -> HTTP2FrameHeader? {
        // Most places are none already by this.
        guard bytes.count - place >= HTTP2FrameHeader.size, bytes[place + 3] <= 0x10,
            bytes[place + 5] & 0x80 == 0
        else { return nil }
        let size = HTTP2FrameHeader.size
        let header = HTTP2FrameHeader(UnsafeBufferPointer(rebasing: bytes[place..<(place + size)]))
        guard header.length <= longest else { return nil }
        return isPossible(header, isStream) ? header : nil
    }

    /// RFC 9113, section 6, RFC 8336 and RFC 9218: what each type has for flags, length and stream.
    private static func isPossible(_ header: HTTP2FrameHeader, _ isStream: (UInt32) -> Bool) -> Bool {
        let (flags, length, isOfConnection): (UInt8, Bool, Bool)
        switch header.type {
        case HTTP2FrameType.data: (flags, length, isOfConnection) = (0x09, true, false)
        case HTTP2FrameType.headers: (flags, length, isOfConnection) = (0x2d, header.length > 0, false)
        case HTTP2FrameType.priority: (flags, length, isOfConnection) = (0, header.length == 5, false)
        case HTTP2FrameType.rstStream: (flags, length, isOfConnection) = (0, header.length == 4, false)
        case HTTP2FrameType.settings:
            let isAnswer = header.has(.acknowledges)
            (flags, length, isOfConnection) = (
                1, isAnswer ? header.length == 0 : header.length % 6 == 0, true
            )
        case HTTP2FrameType.pushPromise: (flags, length, isOfConnection) = (0x0c, header.length > 4, false)
        case HTTP2FrameType.ping: (flags, length, isOfConnection) = (1, header.length == 8, true)
        case HTTP2FrameType.goAway: (flags, length, isOfConnection) = (0, header.length >= 8, true)
        case HTTP2FrameType.windowUpdate:
            guard header.length == 4, header.flags == 0 else { return false }
            return header.stream == 0 || isStream(header.stream)
        case HTTP2FrameType.continuation: (flags, length, isOfConnection) = (4, true, false)
        case HTTP2FrameType.origin: (flags, length, isOfConnection) = (0, true, true)
        case HTTP2FrameType.priorityUpdate: (flags, length, isOfConnection) = (0, header.length >= 4, true)
        default: return false
        }
        guard header.flags & ~flags == 0, length else { return false }
        return isOfConnection ? header.stream == 0 : header.stream > 0 && isStream(header.stream)
    }
}
