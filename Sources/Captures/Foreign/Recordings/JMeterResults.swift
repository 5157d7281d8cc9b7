import JSON

/// Reads the results of JMeter in XML (`.jtl`), where it was told to write messages into them.
///
/// Cookies stand apart from the header there. Of a request that was redirected the hops are samples of their own within it, which
/// has no more to say than the last.
struct JMeterResults {
    private struct Sample {
        let attributes: [String: String]
        /// The texts of what it consists of.
        var parts: [String: Range<Int>] = [:]
        /// Whether others are in it.
        var hasOthers = false
    }

    /// More of a file is not read: a test may run for days.
    private static let largest = 256 << 20
    private static let samples: Set<String> = ["httpSample", "sample"]
    /// Samples within samples are no deeper.
    private static let deepest = 32

    private let source: CaptureSource
    private var exchanges: [Exchange] = []
    private var open: [Sample] = []
    private var begin: XMLTags.Tag?

    private init(_ source: CaptureSource) { self.source = source }

    /// - Throws: ``CaptureError`` where no message is in it.
    static func read(_ source: CaptureSource, name: String) throws(CaptureError) -> Capture {
        var results = JMeterResults(source)
        var tags = XMLTags(source)
        var losses: [Capture.Loss] = []
        while let tag = tags.next() {
            guard tag.range.upperBound <= largest else {
                let what = "no more than \(largest >> 20) MB of such a file are read"
                losses = [
                    Capture.Loss(offset: largest, line: source.line(of: largest), what: what, isEnd: true)
                ]
                break
            }
            results.take(tag)
        }
        if losses.isEmpty, !results.open.isEmpty {
            let what = "a sample is cut off; those before it are whole"
            losses = [
                Capture.Loss(offset: source.size, line: source.line(of: source.size), what: what, isEnd: true)
            ]
        }
        guard !results.exchanges.isEmpty else {
            throw .notCapture(
                path: name,
                looksLike: NamedText.jMeter.looksLike,
                advice: NamedText.jMeter.advice
            )
        }
        var capture = Capture(foreign: results.exchanges, creator: "JMeter", version: "")
        capture.losses = losses
        return capture
    }

    private mutating func take(_ tag: XMLTags.Tag) {
        if Self.samples.contains(tag.name) {
            begin = nil
            if tag.isEnd {
                guard let sample = open.popLast() else { return }
                if !sample.hasOthers, let exchange = exchange(of: sample) { exchanges.append(exchange) }
            } else {
                if let last = open.indices.last { open[last].hasOthers = true }
                guard !tag.isEmpty, open.count < Self.deepest else { return }
                open.append(Sample(attributes: tag.attributes))
            }
        } else if !tag.isEnd {
            begin = tag.isEmpty ? nil : tag
        } else if let begin, begin.name == tag.name, let last = open.indices.last {
            open[last].parts[tag.name] = begin.range.upperBound..<tag.range.lowerBound
            self.begin = nil
        }
    }

    // MARK: - Samples

    private func exchange(of sample: Sample) -> Exchange? {
        let text = { (name: String) in
            sample.parts[name].map { String(decoding: XMLTags.text($0, of: source), as: UTF8.self) }
        }
        // Without the answer's head there is nothing that its code does not say.
        guard let url = text("java.net.URL"), let method = text("method"), !method.isEmpty else { return nil }
        var call = AppCall()
        (call.url, call.method) = (Producers.withoutBlanksAround(url), method)
        let received = (text("responseHeader") ?? "").split(whereSeparator: \.isNewline)
        call.request.headers = HAREntry.headers(.string(text("requestHeader") ?? "")).fields
        if let cookies = text("cookies"), !cookies.isEmpty,
            !HeaderFields(call.request.headers).contains("cookie")
        {
            call.request.headers.append(HeaderFields.Field(name: "Cookie", value: cookies))
        }
        call.request.body = Self.sent(text("queryString"))
        call.version = ForeignTime.httpVersion(received.first?.split(separator: " ").first.map(String.init))
        call.answer.headers = HAREntry.headers(.string(received.dropFirst().joined(separator: "\n"))).fields
        call.answer.body = text("responseData").map { .text($0, isCut: false) } ?? .untold
        let code = sample.attributes["rc"] ?? ""
        if code.utf8.count == 3, let status = Int(code) {
            (call.isAnswered, call.status) = (true, status)
            call.reason = sample.attributes["rm"] ?? ""
        } else {
            // `Non HTTP response code: java.net.UnknownHostException`
            call.failure = sample.attributes["rm"] ?? code
        }
        call.start = sample.attributes["ts"].flatMap { Producers.start(.string($0)) }
        call.duration = sample.attributes["t"].flatMap { Int64($0.prefix(9)) }.map { .milliseconds($0) }
        return call.exchange
    }

    /// The body of a request; files are not in it.
    private static func sent(_ text: String?) -> AppCall.Shown {
        guard let text else { return .untold }
        if text.isEmpty { return .none }
        return text.containsBytes("<actual file content, not shown here>")
            ? .omitted(size: nil) : .text(text, isCut: false)
    }
}
