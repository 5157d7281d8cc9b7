internal import Captures

/// A request and its answer on one stream, as far as they have come (RFC 9113, section 5; RFC 9114, section 4).
struct ExchangeStream {
    /// Number of its exchange.
    let exchange: Int
    let method: String
    /// Bytes that its heads are counted with.
    var headBytes: Int
    var hasResponseHead = false
    /// The client has ended its message: what else it says on this stream is not taken by anybody.
    private(set) var hasRequestEnded = false
    private var hasNamedWhatComesLater = false
    /// What it becomes when the server agrees (extended CONNECT, RFC 8441 and 9220).
    var becomes: String?
    /// `HOST:PORT` that a proxy is asked to connect it with (CONNECT).
    var tunnelTarget: String?
    /// When its answer was whole, which waits for the rest of the request; nil where none does.
    var answeredAt: Timestamp?
    /// Why it is not whole: what is missing of the connection.
    var loss: String?
    /// Whether its messages say that trailers follow them (RFC 9110, section 6.6.2).
    private(set) var announcesTrailers: (request: Bool, response: Bool) = (false, false)
    private var request = Length()
    private var response = Length()
    /// Whether the answer has no content, whatever its fields say (RFC 9110, section 6.4.1).
    private var hasEmptyAnswer = false

    private struct Length {
        /// What `content-length` says.
        var announced: Int?
        var received = 0

        var problem: String? {
            guard let announced, announced != received else { return nil }
            return "Content-Length says \(announced), the body has \(received.counted("byte"))"
        }
    }

    init(exchange: Int, method: String, headBytes: Int = 0) {
        self.exchange = exchange
        self.method = method
        self.headBytes = headBytes
    }

    /// Notes the end of the request, which is one only once.
    mutating func requestEnded() { hasRequestEnded = true }

    /// What is wrong with a frame of the request behind its end (RFC 9113, section 5.1); said once.
    mutating func problemOfLateFrame() -> String? {
        defer { hasNamedWhatComesLater = true }
        return hasNamedWhatComesLater ? nil : "a frame of the request behind its end"
    }

    mutating func asked(_ head: RequestHead) {
        request.announced = Self.length(head.headers)
        announcesTrailers.request = Self.announcesTrailers(head.headers)
    }

    mutating func answered(_ head: ResponseHead) {
        hasResponseHead = true
        hasEmptyAnswer = method == "HEAD" || head.status == 204 || head.status == 304
        announcesTrailers.response = Self.announcesTrailers(head.headers)
        // Answers without content may say how long it would have been (RFC 9110, section 8.6).
        guard method != "HEAD", head.status != 304 else { return }
        response.announced = Self.length(head.headers)
    }

    mutating func received(_ count: Int, of message: MessageSide) {
        if message == .request { request.received += count } else { response.received += count }
    }

    /// What is wrong with the length of a message that has ended; nil where nothing is.
    func problem(of message: MessageSide) -> String? {
        loss != nil ? nil : message == .request ? request.problem : response.problem
    }

    /// Bytes of a message that are announced and have not come.
    func missing(of message: MessageSide) -> Int {
        let length = message == .request ? request : response
        return max(0, (length.announced ?? 0) - length.received)
    }

    /// Whether all of a message's content has come, as its length says.
    func hasContent(of message: MessageSide) -> Bool {
        switch message {
        case .request: request.announced == request.received
        case .response: hasResponseHead && (hasEmptyAnswer || response.announced == response.received)
        }
    }

    /// Whether nothing of a message can be missing but the end of its stream.
    func isWhole(_ message: MessageSide) -> Bool {
        hasContent(of: message)
            && !(message == .request ? announcesTrailers.request : announcesTrailers.response)
    }

    /// Whether nothing tells that the request has a body.
    var hasBareRequest: Bool { request.received == 0 && (request.announced ?? 0) == 0 }

    /// gRPC has them without saying so.
    private static func announcesTrailers(_ headers: HeaderFields) -> Bool {
        headers.first("trailer") != nil
            || headers.first("content-type")?.hasPrefix("application/grpc") == true
    }

    private static func length(_ headers: HeaderFields) -> Int? {
        headers.first("content-length").flatMap {
            $0.utf8.allSatisfy { $0.isASCIIDigit } ? Int($0) : nil
        }
    }
}
