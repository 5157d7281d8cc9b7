import Captures

/// What comes of heads and trailers that are whole.
extension HTTP1Decoder {
    mutating func request(
        _ head: HeadParser.Head,
        size: Int,
        at offset: Int,
        _ direction: inout Direction,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        guard awaited.count - answered < Self.maximumPipelined else {
            return lose(
                "more than \(Self.maximumPipelined) requests without an answer",
                at: offset,
                .client,
                of: nil,
                time,
                &sink
            )
        }
        // Requests that wait for their answers are kept as long.
        guard sink.mayHold(size) else {
            return lose(LossReason.noRoom, at: offset, .client, of: nil, time, &sink)
        }
        let exchange = enqueue(head, size: size)
        direction.exchange = exchange
        sink.receive(.requestHead(Self.request(head), at: time), of: exchange)
        report(head.problems, at: offset, .request, of: exchange, &sink)
        let (framing, problem) = MessageFraming.ofRequest(head.headers)
        if let problem { sink.report([problem], at: offset, .request, of: exchange) }
        direction.isBodyHeldBack =
            framing != .none
            && head.headers.all("expect").contains { $0.equalsIgnoringASCIICase("100-continue") }
        switch framing {
        case .none: endMessage(&direction, .client, time, &sink)
        case .length(let length): direction.state = .fixed(remaining: length)
        case .chunked: direction.state = .chunked(ChunkedBody())
        case .untilClose, .contradictory:
            lose("the length of the request is not known", at: offset, .client, of: exchange, time, &sink)
        }
    }

    private static func request(_ head: HeadParser.Head) -> RequestHead {
        var request = RequestHead(
            method: head.first,
            target: head.second.text,
            httpVersion: head.third,
            headers: head.headers
        )
        request.isTargetLatin1 = head.second.isLatin1
        return request
    }

    /// Makes a request of half a head, which is answered: servers that are tired of waiting do so, or that have read enough.
    ///
    /// - Returns: whether there is one that can be read.
    private mutating func takeHalfRequest(_ sink: inout some ExchangeEventSink) -> Bool {
        let reason = "a head that is not whole when its answer comes"
        let loss = "the connection could not be read any further: \(reason)"
        return takeHalfRequest(reason, loss: loss, &sink)
    }

    /// The same, of any other: `reason` is what is said of the head, `loss` why nothing more is read.
    private mutating func takeHalfRequest(
        _ reason: String,
        loss: String,
        _ sink: inout some ExchangeEventSink
    ) -> Bool {
        guard let half = client.halfHead,
            let head = half.bytes.withUnsafeBufferPointer({ HeadParser.parseHalf($0, isRequest: true) })
        else { return false }
        let exchange = enqueue(head, size: half.bytes.count)
        sink.receive(.requestHead(Self.request(head), at: half.time), of: exchange)
        report([(0, reason)] + head.problems, at: half.offset, .request, of: exchange, &sink)
        endHalfHead(loss, in: exchange)
        return true
    }

    /// Makes a request that failed of half a head, behind which nothing comes from either side.
    mutating func endWithinHead(_ time: Timestamp, _ sink: inout some ExchangeEventSink) {
        guard reads(.client), takeHalfRequest(Malformation.halfHead, loss: AnswerLoss.requestCut, &sink),
            let request = awaited.popLast()
        else { return }
        sink.receive(.failed(reason: AnswerLoss.requestCut, at: time), of: request.exchange)
        _ = sink.mayHold(-request.headBytes)
    }

    /// Makes an answer of half a head, behind which nothing comes: its status may be all that there is to tell why, and there are
    /// clients that take it for whole.
    mutating func takeHalfAnswer(_ sink: inout some ExchangeEventSink) {
        guard let half = server.halfHead, answered < awaited.count,
            let head = half.bytes.withUnsafeBufferPointer({ HeadParser.parseHalf($0, isRequest: false) }),
            !head.second.text.hasPrefix("1")
        else { return }
        let exchange = awaited[answered].exchange
        sink.receive(.responseHead(Self.response(head), at: half.time), of: exchange)
        report(
            [(0, Malformation.halfHead)] + head.problems,
            at: half.offset,
            .response,
            of: exchange,
            &sink
        )
    }

    private static func response(_ head: HeadParser.Head) -> ResponseHead {
        ResponseHead(
            status: Int(head.second.text) ?? 0,
            statusText: head.third,
            httpVersion: head.first,
            headers: head.headers
        )
    }

    /// Has a request wait for its answer; its number.
    private mutating func enqueue(_ head: HeadParser.Head, size: Int) -> Int {
        let exchange = nextExchange
        nextExchange += 1
        if answered > 64 {
            awaited.removeFirst(answered)
            answered = 0
        }
        let settings = head.headers.first("http2-settings").map(Base64.decode) ?? []
        awaited.append(
            Awaited(exchange: exchange, method: head.first, settings: settings, headBytes: size)
        )
        return exchange
    }

    mutating func response(
        _ head: HeadParser.Head,
        size: Int,
        at offset: Int,
        _ direction: inout Direction,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let isFinal = !head.second.text.hasPrefix("1")
        guard answered < awaited.count || isFinal && takeHalfRequest(&sink) else {
            return unasked(head, at: offset, &direction, time, &sink)
        }
        let request = awaited[answered]
        let response = Self.response(head)
        let isSwitch = response.status == 101
        let isInterim = (100..<200).contains(response.status) && !isSwitch
        if !isInterim {
            // Kept until the end of its body, as its request is.
            guard sink.mayHold(size) else {
                return lose(LossReason.noRoom, at: offset, .server, of: request.exchange, time, &sink)
            }
            answered += 1
            answeringBytes = request.headBytes + size
        }
        let becomesHTTP2 = isSwitch && head.headers.first("upgrade")?.lowercased() == "h2c"
        guard !isInterim, !becomesHTTP2 else {
            sink.receive(.interimResponse(response, at: time), of: request.exchange)
            report(head.problems, at: offset, .response, of: request.exchange, &sink)
            guard becomesHTTP2 else { return }
            goesOnAsHTTP2 = request
            return failAll("the connection changed its protocol", time, &sink)
        }
        direction.exchange = request.exchange
        answering = request.exchange
        sink.receive(.responseHead(response, at: time), of: request.exchange)
        report(head.problems, at: offset, .response, of: request.exchange, &sink)
        if isSwitch || (request.method == "CONNECT" && (200..<300).contains(response.status)) {
            let name = head.headers.first("upgrade") ?? (isSwitch ? "unknown" : "tunnel")
            upgrade(to: name, &direction, time, &sink)
        } else {
            awaitBody(of: response, to: request, at: offset, &direction, time, &sink)
        }
    }

    /// An answer that no request waits for.
    ///
    /// A server that is tired of waiting may say so before it closes (RFC 9110, section 15.5.9), one whose client closes without a
    /// word that there was no request, as HAProxy does; nobody asked.
    private mutating func unasked(
        _ head: HeadParser.Head,
        at offset: Int,
        _ direction: inout Direction,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        guard ["400", "408"].contains(head.second.text), !isHeadOnItsWay else {
            return lose("an answer without a request", at: offset, .server, of: nil, time, &sink)
        }
        direction.state = .unasked
    }

    /// Another protocol is spoken behind the answer at hand.
    private mutating func upgrade(
        to name: String,
        _ direction: inout Direction,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        sink.receive(.upgraded(to: name), of: direction.exchange)
        isUpgraded = true
        endMessage(&direction, .server, time, &sink)
        failAll("the connection changed its protocol", time, &sink)
    }

    private mutating func awaitBody(
        of response: ResponseHead,
        to request: Awaited,
        at offset: Int,
        _ direction: inout Direction,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let (framing, problem) = MessageFraming.ofResponse(
            response.status,
            method: request.method,
            response.headers
        )
        if let problem { sink.report([problem], at: offset, .response, of: request.exchange) }
        switch framing {
        case .none: endMessage(&direction, .server, time, &sink)
        case .length(let length): direction.state = .fixed(remaining: length)
        case .chunked: direction.state = .chunked(ChunkedBody())
        // Where lengths contradict each other the rest of the connection is taken for the body: nothing is
        // lost by it.
        case .untilClose, .contradictory: direction.state = .untilClose
        }
    }

    mutating func trailers(
        _ section: TrailerSection,
        _ direction: inout Direction,
        _ side: Side,
        _ input: UnsafeBufferPointer<UInt8>,
        _ index: inout Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        var section = section
        let before = section.count
        let output = section.next(input, &index)
        direction.state = .trailers(section)
        func lose(_ reason: String) {
            _ = sink.mayHold(-before)
            direction.state = .head
            self.lose(reason, at: direction.offset + index, side, of: direction.exchange, time, &sink)
        }
        if case .tooLong = output { return lose("trailers of more than 64 KiB") }
        guard sink.mayHold(section.count - before) else { return lose(LossReason.noRoom) }
        guard case .fields(let fields, let problems) = output else { return }
        _ = sink.mayHold(-section.count)
        let start = direction.offset + index - section.count
        report(problems, at: start, side.message, of: direction.exchange, &sink)
        if !fields.fields.isEmpty {
            sink.receive(
                side == .client ? .requestTrailers(fields) : .responseTrailers(fields),
                of: direction.exchange
            )
        }
        endMessage(&direction, side, time, &sink)
    }
}
