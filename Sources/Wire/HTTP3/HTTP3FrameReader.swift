/// Cuts the bytes of a stream into frames (RFC 9114, section 7.1).
struct HTTP3FrameReader {
    enum FrameType {
        static let data = 0x0
        static let headers = 0x1
        static let settings = 0x4
        static let goAway = 0x7
        /// Not a frame, but what a stream of WebTransport begins with.
        static let webTransport = 0x41
    }

    enum Piece: Equatable {
        case needsMore
        /// The next bytes of a body.
        case data(ArraySlice<UInt8>)
        /// HEADERS, SETTINGS or GOAWAY, whole.
        case frame(type: Int, payload: [UInt8])
        /// A frame of those that is longer than any that is read.
        case tooLong
        /// From here on the stream carries another protocol.
        case otherProtocol
    }

    /// Bytes that were taken.
    private(set) var offset = 0
    /// Where the frame at hand began.
    private(set) var frameStart = 0
    /// Of a frame's type and length, as far as they have come.
    private var header: [UInt8] = []
    private var type = 0
    private var payload: [UInt8] = []
    /// Of the payload, that have not come.
    private var missing = 0

    /// Bytes of a body's piece that have not come.
    var missingData: Int { type == FrameType.data ? missing : 0 }

    /// What it keeps of a frame whose end has not come.
    var held: Int { payload.count }

    /// Whether the next byte is a frame's first.
    var isBetweenFrames: Bool { header.isEmpty && missing == 0 }

    /// Takes the next piece off the front of the input.
    mutating func next(_ input: inout ArraySlice<UInt8>) -> Piece {
        let (count, start) = (input.count, offset)
        defer { offset = start + count - input.count }
        while true {
            if isBetweenFrames { frameStart = start + count - input.count }
            if missing > 0 {
                guard !input.isEmpty else { return .needsMore }
                let part = input.prefix(missing)
                input = input.dropFirst(part.count)
                missing -= part.count
                if type == FrameType.data { return .data(part) }
                guard Self.isKept(type) else { continue }
                payload += part
                guard missing == 0 else { return .needsMore }
                return takeFrame()
            }
            guard readHeader(&input) else { return .needsMore }
            if type == FrameType.webTransport { return .otherProtocol }
            guard Self.isKept(type) else { continue }
            guard missing <= FrameReader.maximumHeaderBlock else { return .tooLong }
            if missing == 0 { return takeFrame() }
        }
    }

    private mutating func takeFrame() -> Piece {
        defer { payload = [] }
        return .frame(type: type, payload: payload)
    }

    private static func isKept(_ type: Int) -> Bool {
        [FrameType.headers, FrameType.settings, FrameType.goAway].contains(type)
    }

    /// False where its end has not come.
    private mutating func readHeader(_ input: inout ArraySlice<UInt8>) -> Bool {
        while let byte = input.popFirst() {
            header.append(byte)
            var bytes = header[...]
            guard let type = VariableInteger.take(&bytes), let length = VariableInteger.take(&bytes) else {
                continue
            }
            header.removeAll(keepingCapacity: true)
            self.type = type
            // All that follows it is another protocol's.
            missing = type == FrameType.webTransport ? Int.max : length
            return true
        }
        return false
    }
}
