import NIOCore
import NIOHPACK

/// One end of an HTTP/2 connection that says what a test wants it to, sound or not.
struct HTTP2Speaker {
    private var encoder: HPACKEncoder
    private(set) var bytes: [UInt8] = []

    /// `tableBytes`: of the table that its header blocks share.
    init(tableBytes: Int = 4096, compresses: Bool = true) {
        encoder = HPACKEncoder(allocator: ByteBufferAllocator(), useHuffmanEncoding: compresses)
        if tableBytes != 4096 { try? encoder.setDynamicTableSize(tableBytes) }
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// A client's beginning, its settings included.
    static func client(_ settings: [(UInt16, UInt32)] = [], compresses: Bool = true) -> HTTP2Speaker {
        var speaker = HTTP2Speaker(compresses: compresses)
        speaker.bytes = preface
        speaker.settings(settings)
        return speaker
    }

    static func server(_ settings: [(UInt16, UInt32)] = [], tableBytes: Int = 4096) -> HTTP2Speaker {
        var speaker = HTTP2Speaker(tableBytes: tableBytes)
        speaker.settings(settings)
        return speaker
    }

    /// What was said since the last call.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func settings(_ settings: [(UInt16, UInt32)]) {
        let payload = settings.flatMap { id, value in
            [UInt8(id >> 8), UInt8(id & 0xff)] + Self.four(value)
        }
        frame(4, 0, 0, payload)
    }

    mutating func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) {
        let length = payload.count
        bytes += [UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff), type, flags]
        bytes += Self.four(stream) + payload
    }

    static func four(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 0xff) } }

    mutating func block(_ fields: [(String, String)]) -> [UInt8] {
        var buffer = ByteBuffer()
        try? encoder.encode(headers: HPACKHeaders(fields), to: &buffer)
        return Array(buffer.readableBytesView)
    }

    mutating func headers(_ stream: UInt32, _ fields: [(String, String)], ends: Bool = false) {
        frame(1, 4 | (ends ? 1 : 0), stream, block(fields))
    }

    mutating func data(_ stream: UInt32, _ text: String, ends: Bool = false) {
        frame(0, ends ? 1 : 0, stream, Array(text.utf8))
    }

    mutating func get(_ stream: UInt32, _ path: String, _ more: [(String, String)] = []) {
        headers(stream, Self.request("GET", path) + more, ends: true)
    }

    static func request(_ method: String, _ path: String) -> [(String, String)] {
        [(":method", method), (":scheme", "https"), (":authority", "idp.example"), (":path", path)]
    }

    mutating func reset(_ stream: UInt32, _ code: UInt32) { frame(3, 0, stream, Self.four(code)) }

    mutating func goAway(last: UInt32, _ code: UInt32, _ debug: String = "") {
        frame(7, 0, 0, Self.four(last) + Self.four(code) + Array(debug.utf8))
    }
}
