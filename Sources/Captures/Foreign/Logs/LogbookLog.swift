import JSON

/// Reads what Logbook logs of messages, for services and clients in Java: as JSON, also within the JSON of a log, or as text.
///
/// Of a service that asks others while it is asked both are there.
struct LogbookLog {
    private var pairs: [(request: LogbookMessage, answer: LogbookMessage?)] = []
    /// Requests that wait for their answers, and how many came of which nobody knows whose they are.
    private var open: [LogbookMessage.Name: (requests: [Int], lost: Int)] = [:]
    /// Where messages begin that break off.
    private var broken: [Int] = []

    /// More are not told of.
    private static let mostBroken = 10
    /// In the JSON of a log a message stands in an object or a text of it, or of one within.
    private static let deepest = 3

    /// Nil where no request is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        let words = LogbookRecord.marks + [LogbookRecord.member]
        guard words.contains(where: { ByteSearch.index(of: $0, in: text.bytes) != nil }) else { return nil }
        let isList = text.bytes.first { $0 > 0x20 } == UInt8(ascii: "[")
        if isList, let capture = readList(source) { return capture }
        var log = LogbookLog()
        log.takeLines(of: text)
        guard !log.pairs.isEmpty else { return isList ? nil : readList(source) }
        var capture = text.capture(of: log.pairs.map(exchange), creator: "Logbook")
        for offset in log.broken {
            capture.losses.append(
                Capture.Loss(
                    offset: offset,
                    line: source.line(of: offset),
                    what: "a message of Logbook's breaks off"
                )
            )
        }
        return capture
    }

    /// Messages that somebody has put into a list, or over several lines.
    private static func readList(_ source: CaptureSource) -> Capture? {
        var log = LogbookLog()
        var events = JSONEvents(source)
        events.run { event, _ in
            log.take(event, at: nil)
            return true
        }
        guard !log.pairs.isEmpty else { return nil }
        var capture = Capture(foreign: log.pairs.map(exchange), creator: "Logbook", version: "")
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    // MARK: - Messages

    private mutating func takeLines(of text: LogText) {
        var record: LogbookRecord?
        text.forEachLine { line in
            if let next = LogbookRecord(line) {
                take(record, of: text)
                record = next
            } else if record?.ends(before: line) ?? false {
                take(record, of: text)
                record = nil
            } else {
                record?.end = line.endIndex
            }
        }
        take(record, of: text)
    }

    private mutating func take(_ record: LogbookRecord?, of text: LogText) {
        guard let record else { return }
        let bytes = text.bytes[record.start..<record.end]
        guard record.isJSON else {
            if let message = LogbookMessage(text: bytes) {
                take(message, at: record.time)
            }
            return
        }
        guard let value = Self.value(bytes) else {
            if broken.count < Self.mostBroken { broken.append(record.start) }
            return
        }
        take(value, at: record.time)
    }

    /// `time`: of the line; nil where the JSON itself may tell it.
    private mutating func take(_ value: JSONValue, at time: (time: Timestamp, isZoneKnown: Bool)?) {
        guard let message = Self.message(in: value) else { return }
        let told = ["@timestamp", "timestamp", "time"].lazy.compactMap { value[$0] }.first
        take(message, at: time ?? Producers.start(told))
    }

    private static func value(_ bytes: some Collection<UInt8>) -> JSONValue? {
        var reader = LenientReader(CaptureSource(bytes: Array(bytes)))
        return try? reader.value()
    }

    private static func message(in value: JSONValue, depth: Int = 0) -> LogbookMessage? {
        guard depth <= deepest else { return nil }
        switch value {
        case .object(let object):
            return LogbookMessage(object)
                ?? object.members.lazy.compactMap { message(in: $0.value, depth: depth + 1) }.first
        case .string(let text):
            let bytes = Array(text.utf8)
            guard bytes.first == UInt8(ascii: "{") else { return LogbookMessage(text: bytes[...]) }
            return self.value(bytes).flatMap { message(in: $0, depth: depth + 1) }
        default: return nil
        }
    }

    // MARK: - Exchanges

    private mutating func take(
        _ message: LogbookMessage,
        at time: (time: Timestamp, isZoneKnown: Bool)?
    ) {
        var message = message
        message.time = time
        guard message.isAnswer else {
            open[message.name, default: ([], 0)].requests.append(pairs.count)
            pairs.append((message, nil))
            return
        }
        guard var waiting = open.removeValue(forKey: message.name) else { return }
        guard waiting.requests.count > 1 else {
            pairs[waiting.requests[0]].answer = message
            return
        }
        // Where a trace gives several their name nobody knows whose answer this is.
        waiting.lost += 1
        if waiting.lost < waiting.requests.count { open[message.name] = waiting }
    }

    private static func exchange(_ request: LogbookMessage, _ answer: LogbookMessage?) -> Exchange {
        var entry: JSONObject = ["request": .object(request.told)]
        if let answer {
            entry["response"] = .object(answer.told)
            entry["time"] = answer.milliseconds.map { JSONValue($0) }
        }
        var exchange = HAREntry.exchange(told: entry) { [entry] in entry }
        exchange.startedAt = request.time?.time ?? Timestamp(nanoseconds: 0)
        exchange.isZoneKnown = request.time?.isZoneKnown ?? false
        if request.name.isIncoming { exchange.client.address = request.remote }
        if request.isCut { exchange.request.body?.isTruncated = true }
        if answer?.isCut ?? false { exchange.response?.body?.isTruncated = true }
        return exchange
    }
}
