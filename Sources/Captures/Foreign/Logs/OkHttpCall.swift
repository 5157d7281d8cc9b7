/// A call that OkHttp has logged, as far as it was printed.
struct OkHttpCall {
    struct Message {
        var headers: [HeaderFields.Field] = []
        /// Lines of the body that have before them what the others have, and all that it may be made of.
        var marked = Lines()
        var all = Lines()
        var isInBody = false
        /// Whether all of it was printed.
        var isEnded = false
        /// Bytes of the body, as far as they are told.
        var size: Int?
        /// Whether the log says that the body is not shown.
        var isOmitted = false

        mutating func add(_ line: ArraySlice<UInt8>, isMarked: Bool) {
            if isMarked { marked.add(line) }
            all.add(line)
        }
    }

    /// Lines one behind the other.
    struct Lines {
        private(set) var bytes: [UInt8] = []
        private(set) var count = 0

        mutating func add(_ line: ArraySlice<UInt8>) {
            if count > 0 { bytes.append(0x0a) }
            bytes += line
            count += 1
        }
    }

    /// What stands before its lines.
    let mark: ArraySlice<UInt8>
    let method: String
    let url: String
    let version: String
    let start: Timestamp?
    /// The request, and the answer once there is one.
    private var messages = [Message()]
    private(set) var statusLine: (status: Int, reason: String)?
    var duration: Duration?
    var failure: String?

    init(mark: ArraySlice<UInt8>, method: String, url: String, version: String, start: Timestamp?) {
        (self.mark, self.method, self.url) = (mark, method, url)
        (self.version, self.start) = (version, start)
    }

    var isAnswered: Bool { messages.count > 1 }

    /// Whether lines of one of its messages are to come.
    var isPrinting: Bool { messages.last?.isEnded == false }

    // MARK: - Lines

    private mutating func change(_ change: (inout Message) -> Void) { change(&messages[messages.count - 1]) }

    /// The first line of an answer.
    mutating func answer(_ status: Int, _ reason: String) {
        statusLine = (status, reason)
        messages.append(Message())
    }

    /// What the first line of a message says of its body; where it does, nothing but that line is printed.
    mutating func begin(isWhole: Bool, size: Int?) {
        change { message in (message.isEnded, message.size) = (isWhole, size) }
    }

    /// A line of the message that is being printed.
    mutating func take(_ line: ArraySlice<UInt8>) {
        change { message in
            if message.isInBody {
                message.add(line, isMarked: true)
            } else if line.isEmpty {
                message.isInBody = true
            } else if let field = Self.field(line) {
                message.headers.append(field)
            } else {
                // Logs leave empty lines out.
                message.isInBody = true
                message.add(line, isMarked: true)
            }
        }
    }

    /// A line that has nothing before it, as the further ones of a body may have.
    mutating func take(loose line: ArraySlice<UInt8>) {
        change { message in if message.isInBody { message.add(line, isMarked: false) } }
    }

    /// The line behind a message; `words` say how long its body is, or why it is not shown.
    mutating func end(_ words: String) {
        change { message in
            message.isEnded = true
            message.size = OkHttpLine.size(in: words) ?? message.size
            message.isOmitted = words.hasSuffix("omitted")
        }
    }

    private static func field(_ line: ArraySlice<UInt8>) -> HeaderFields.Field? {
        let name = line.prefix { $0.isTokenCharacter }
        let rest = line.dropFirst(name.count)
        guard !name.isEmpty, rest.first == UInt8(ascii: ":"),
            rest.count == 1 || rest.dropFirst().first == 0x20
        else { return nil }
        let value = rest.dropFirst().drop { $0 == 0x20 }
        return HeaderFields.Field(
            name: String(decoding: name, as: UTF8.self),
            value: String(decoding: value, as: UTF8.self)
        )
    }

    // MARK: - As an exchange

    var exchange: Exchange {
        let request = messages[0]
        let headers = HeaderFields(request.headers)
        let hasBody = !["GET", "HEAD"].contains(method) || request.all.count > 0
        var exchange = Exchange(
            startedAt: start ?? Timestamp(nanoseconds: 0),
            duration: duration,
            request: RecordedRequest(
                method: method,
                url: RecordedURL(url),
                httpVersion: version,
                headers: headers,
                body: hasBody ? Self.body(of: request, headers) : nil
            ),
            response: response,
            failure: failure
        )
        exchange.isZoneKnown = false
        return exchange
    }

    private var response: RecordedResponse? {
        guard isAnswered, let answer = messages.last, let statusLine else { return nil }
        let headers = HeaderFields(answer.headers)
        return RecordedResponse(
            status: statusLine.status,
            statusText: statusLine.reason,
            httpVersion: "",
            headers: headers,
            body: Self.body(of: answer, headers)
        )
    }

    private static func body(of message: Message, _ headers: HeaderFields) -> Body {
        let type = headers.first("content-type")
        guard !message.isOmitted, message.size == 0 || message.all.count > 0 else {
            return Body(content: .missing, mediaType: type, size: message.size)
        }
        // A log may print the lines of a body without what stands before, or divide a long one.
        let (marked, all) = (message.marked, message.all)
        let isDivided = message.size == marked.bytes.count + 1 - marked.count
        let bytes =
            message.size == all.bytes.count
            ? all.bytes : isDivided ? marked.bytes.filter { $0 != 0x0a } : marked.bytes
        let size = message.size ?? bytes.count
        return Body(
            content: .bytes(bytes),
            mediaType: type,
            size: size,
            isTruncated: bytes.count < size || !message.isEnded
        )
    }
}
