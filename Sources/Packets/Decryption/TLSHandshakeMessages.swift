/// Puts the handshake messages of one direction together, however records cut them.
///
/// Keeps of a message what is read of it: whole hellos and EncryptedExtensions of up to 256 KiB, the beginning of any other.
struct TLSHandshakeMessages {
    struct Message {
        var type: UInt8
        /// As the message says it.
        var length: Int
        /// All of it, or its beginning.
        var body: [UInt8]
    }

    enum MessageType {
        static let clientHello: UInt8 = 1
        static let serverHello: UInt8 = 2
        static let newSessionTicket: UInt8 = 4
        static let endOfEarlyData: UInt8 = 5
        static let encryptedExtensions: UInt8 = 8
        static let certificate: UInt8 = 11
        static let serverKeyExchange: UInt8 = 12
        static let certificateRequest: UInt8 = 13
        static let serverHelloDone: UInt8 = 14
        static let certificateVerify: UInt8 = 15
        static let clientKeyExchange: UInt8 = 16
        static let finished: UInt8 = 20
        static let keyUpdate: UInt8 = 24
        /// A Certificate, packed (RFC 8879, section 4).
        static let compressedCertificate: UInt8 = 25
    }

    /// Of the messages behind both hellos in TLS 1.3 (RFC 8446, section 4).
    private static let typesOfFlight: Set<UInt8> = [
        MessageType.encryptedExtensions, MessageType.certificate, MessageType.certificateRequest,
        MessageType.compressedCertificate, MessageType.certificateVerify, MessageType.finished,
    ]

    /// Largest message that is kept whole.
    static let largest = 256 << 10
    /// What is kept of others: enough for the length of the list in a Certificate (behind a context of up to 255 bytes).
    private static let beginning = 264

    private var header: [UInt8] = []
    private var body: [UInt8] = []
    /// Of the body, that have not come.
    private var missing = 0
    private var length = 0
    private var kept = 0
    /// Whether it is not known where the next message begins.
    private(set) var isLost = false

    /// Takes bytes off the front of `rest` up to the end of a message; nil where there is no end in them.
    mutating func next(_ rest: inout UnsafeRawBufferPointer.SubSequence) -> Message? {
        guard !isLost else {
            rest = rest.suffix(0)
            return nil
        }
        while header.count < 4 {
            guard let byte = rest.popFirst() else { return nil }
            header.append(byte)
            if header.count == 4 { begin() }
        }
        let part = rest.prefix(missing)
        if body.count < kept { body.append(contentsOf: part.prefix(kept - body.count)) }
        missing -= part.count
        rest = rest.dropFirst(part.count)
        guard missing == 0 else { return nil }
        defer { reset() }
        return Message(type: header[0], length: length, body: body)
    }

    /// The message that has begun and not come to its end, as far as it is there.
    var begun: Message? { header.count == 4 ? Message(type: header[0], length: length, body: body) : nil }

    /// Its type, which may be all that is there of it.
    var begunType: UInt8? { header.first }

    /// So many bytes of messages are missing.
    ///
    /// Harmless inside a message of which only the beginning is read and there; else it is not known any more where messages
    /// begin.
    mutating func skip(_ count: Int) {
        guard !isLost else { return }
        if header.count == 4, body.count == kept, missing > count {
            missing -= count
        } else {
            lose()
        }
    }

    /// It is not known any more where messages begin.
    mutating func lose() {
        reset()
        isLost = true
    }

    /// Goes on with a record that holds nothing but whole messages of a handshake's end, where it is not known where they begin.
    mutating func findPlace(in content: UnsafeRawBufferPointer.SubSequence) {
        guard isLost else { return }
        var rest = content
        while rest.count >= 4, let type = rest.popFirst(), Self.typesOfFlight.contains(type) {
            let length = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(3)
            guard rest.count >= length else { return }
            rest = rest.dropFirst(length)
        }
        if rest.isEmpty, !content.isEmpty { reset() }
    }

    /// Forgets what has begun; the next byte is a message's first.
    mutating func reset() {
        header.removeAll(keepingCapacity: true)
        body = []
        missing = 0
        isLost = false
    }

    private mutating func begin() {
        length = Int(header[1]) << 16 | Int(header[2]) << 8 | Int(header[3])
        missing = length
        switch header[0] {
        case MessageType.clientHello, MessageType.serverHello, MessageType.encryptedExtensions,
            MessageType.newSessionTicket:
            kept = length <= Self.largest ? length : 0
        default: kept = min(length, Self.beginning)
        }
    }
}
