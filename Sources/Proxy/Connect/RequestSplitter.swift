internal import Captures
internal import NIOCore
internal import Wire

/// Cuts a client's bytes into requests, so that each can go where it belongs.
///
/// Bodies are passed on as they come; a head is held until it is whole, and one that is refused stays where it is.
struct RequestSplitter {
    enum Piece: Equatable {
        case head(ProxyRequest)
        /// Bytes of the body, framing included.
        case body(ByteBuffer)
        case end
        case refused(ProxyRequest.Refusal)
    }

    private enum State: Equatable {
        case head
        case length(Int)
        case chunked(ChunkScanner)
        case ending
        case opaque
        case refused
    }

    private var state = State.head
    private var pending = ByteBuffer()
    private var scanner = HeadScanner()
    /// Whether the client waits to be told to send the body, nothing of which has come.
    private var isBodyHeldBack = false
    /// Looks whether the next request came in the place of a body; nil where that is no question.
    private var probe: RequestLineProbe?
    /// Bytes that it has looked at.
    private var probed = 0
    private let maximumHeadBytes: Int
    private let isForServer: Bool

    /// - Parameters:
    ///   - maximumHeadBytes: beyond, a head is refused.
    ///   - isForServer: whether the requests are for a server, and not for a proxy, so that they stay as they are and
    ///     what is no HTTP passes.
    init(maximumHeadBytes: Int, isForServer: Bool = false) {
        self.maximumHeadBytes = maximumHeadBytes
        self.isForServer = isForServer
    }

    /// What is not cut yet.
    var rest: ByteBuffer { pending }

    /// What it has refused, from the first byte of that head on; empty where it has refused nothing.
    var refused: ByteBufferView { state == .refused ? pending.readableBytesView : ByteBufferView() }

    /// Whether some, but not all, of a head is there.
    var isInsideHead: Bool { state == .head && pending.readableBytes > 0 }

    mutating func received(_ bytes: ByteBuffer) {
        var bytes = bytes
        if pending.readableBytes == 0 { pending = bytes } else { pending.writeBuffer(&bytes) }
    }

    /// From here on there are no requests: everything is body (after an upgrade).
    mutating func becomeOpaque() {
        state = .opaque
        isBodyHeldBack = false
        probe = nil
    }

    /// The next piece; nil until more bytes arrive.
    ///
    /// - Parameter mayLackBody: whether the request at hand has its final answer, so that its client may leave out the body that it
    ///   was to be told to send.
    /// - Returns: what comes next.
    mutating func next(mayLackBody: Bool = false) -> Piece? {
        guard knowsWhatComes(mayLackBody) else { return nil }
        switch state {
        case .head: return nextHead()
        case .length(let left):
            guard let part = pending.readSlice(length: min(left, pending.readableBytes)),
                part.readableBytes > 0
            else {
                return nil
            }
            state = part.readableBytes == left ? .ending : .length(left - part.readableBytes)
            return .body(part)
        case .chunked(var scanner):
            let count = scanner.scan(pending.readableBytesView)
            switch scanner.state {
            case .done: state = .ending
            // Not ours to mend: the server sees what the client sent.
            case .broken: state = .opaque
            default: state = .chunked(scanner)
            }
            let length = state == .opaque ? pending.readableBytes : count
            guard length > 0, let part = pending.readSlice(length: length) else { return nil }
            return .body(part)
        case .ending:
            state = .head
            scanner = HeadScanner()
            return .end
        case .opaque:
            guard let part = pending.readSlice(length: pending.readableBytes), part.readableBytes > 0 else {
                return nil
            }
            return .body(part)
        case .refused: return nil
        }
    }

    /// Whether it is known if the bytes at hand are those of a body that was held back, or of the next request.
    private mutating func knowsWhatComes(_ mayLackBody: Bool) -> Bool {
        if isBodyHeldBack, pending.readableBytes > 0 {
            isBodyHeldBack = false
            if mayLackBody { (probe, probed) = (RequestLineProbe(), 0) }
        }
        guard var probe else { return true }
        for byte in pending.readableBytesView.dropFirst(probed) {
            probed += 1
            guard let isRequest = probe.next(byte) else { continue }
            if isRequest { state = .ending }
            self.probe = nil
            return true
        }
        self.probe = probe
        return false
    }

    private mutating func nextHead() -> Piece? {
        let view = pending.readableBytesView
        if scanner.scanned == 0 {
            let lead = view.prefix { $0 == 0x0d || $0 == 0x0a }.count
            if lead > 0 {
                pending.moveReaderIndex(forwardBy: lead)
                return nextHead()
            }
        }
        if isForServer, let first = view.first, !first.isTokenCharacter {
            becomeOpaque()
            return next()
        }
        let end = scanner.length(in: view)
        guard let end, end <= maximumHeadBytes else {
            guard view.count > maximumHeadBytes else { return nil }
            state = .refused
            return .refused(
                .init(status: 431, reason: "the request head is longer than \(maximumHeadBytes) bytes")
            )
        }
        guard let head = pending.getBytes(at: pending.readerIndex, length: end) else { return nil }
        do throws(ProxyRequest.Refusal) {
            let request = try isForServer ? ProxyRequest.parseForServer(head) : ProxyRequest.parse(head)
            pending.moveReaderIndex(forwardBy: end)
            isBodyHeldBack = request.expectsContinue && request.framing != .none
            state =
                switch request.framing {
                case .none: .ending
                case .length(let length): .length(length)
                case .chunked: .chunked(ChunkScanner())
                }
            return .head(request)
        } catch {
            state = .refused
            return .refused(error)
        }
    }
}

/// Finds the end of a chunked body (RFC 9112, section 7.1) without taking it apart.
struct ChunkScanner: Equatable {
    enum State: Equatable {
        case size(Int?)
        /// Behind the CR of a size line.
        case sizeEnd(Int)
        case extensions(Int)
        case data(Int)
        case dataEnd
        /// In the trailer section; how many bytes of the line there are.
        case trailer(Int)
        case done
        case broken
    }

    private(set) var state = State.size(nil)

    /// Takes bytes up to the end of the body.
    ///
    /// - Returns: how many were taken: all, unless ``state`` is `done` or `broken` then.
    mutating func scan(_ bytes: ByteBufferView) -> Int {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch state {
            case .done, .broken: return index - bytes.startIndex
            case .data(let left):
                let count = min(left, bytes.endIndex - index)
                index += count
                state = count == left ? .dataEnd : .data(left - count)
                continue
            default: step(bytes[index])
            }
            index += 1
        }
        return index - bytes.startIndex
    }

    private mutating func step(_ byte: UInt8) {
        switch state {
        case .size(let size): step(size: size, byte)
        case .sizeEnd(let size):
            state = byte != 0x0a ? .broken : size == 0 ? .trailer(0) : .data(size)
        case .extensions(let size): if byte == 0x0a { state = size == 0 ? .trailer(0) : .data(size) }
        case .dataEnd:
            if byte == 0x0a { state = .size(nil) } else if byte != 0x0d { state = .broken }
        case .trailer(let length):
            if byte == 0x0a {
                state = length == 0 ? .done : .trailer(0)
            } else if byte != 0x0d {
                state = .trailer(1)
            }
        case .data, .done, .broken: break
        }
    }

    private mutating func step(size: Int?, _ byte: UInt8) {
        let digit: Int
        switch byte {
        case 0x0a:
            guard let size else { return state = .broken }
            return state = size == 0 ? .trailer(0) : .data(size)
        case 0x0d:
            guard let size else { return state = .broken }
            return state = .sizeEnd(size)
        case 0x20, 0x09, 0x3b:
            guard let size else { return state = .broken }
            return state = .extensions(size)
        default:
            guard let value = byte.hexadecimalValue else { return state = .broken }
            digit = Int(value)
        }
        let (product, overflow) = (size ?? 0).multipliedReportingOverflow(by: 16)
        guard !overflow else { return state = .broken }
        state = .size(product + digit)
    }
}
