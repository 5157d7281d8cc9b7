/// Reads what OkHttp's `HttpLoggingInterceptor` prints, also behind what Android's log or a server's has before each line.
///
/// With its level `BODY` all is there; what it leaves out with another one is not known.
struct OkHttpLog {
    private var calls: [OkHttpCall] = []
    /// Of ``calls``, those of which a message is being printed, or that wait for their answer; the oldest first.
    private var open: [Int] = []

    /// Nobody makes more calls at a time.
    private static let mostOpen = 64

    /// Nil where no call is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        guard ByteSearch.index(of: Array("--> ".utf8), in: text.bytes) != nil else { return nil }
        var log = OkHttpLog()
        text.forEachLine { log.take(OkHttpLine(LogText.withoutEnd($0))) }
        guard !log.calls.isEmpty else { return nil }
        return text.capture(of: log.calls.map(\.exchange), creator: "OkHttp")
    }

    private mutating func take(_ line: OkHttpLine) {
        // Its lowest level prints a line for each message, with the length of the body behind it.
        let isWhole = line.told.hasSuffix(" body")
        let size = OkHttpLine.size(in: line.told)
        switch line.kind {
        case .request(let method, let url, let version):
            open.removeFirst(open.count >= Self.mostOpen ? 1 : 0)
            open.append(calls.count)
            var call = OkHttpCall(
                mark: line.mark,
                method: method,
                url: url,
                version: version,
                start: line.time
            )
            call.begin(isWhole: isWhole, size: size)
            calls.append(call)
        case .answer(let status, let reason, let url, let milliseconds):
            guard let place = waiting(line, for: url) else { return }
            let index = open[place]
            calls[index].answer(status, reason)
            calls[index].begin(isWhole: isWhole, size: size)
            calls[index].duration = milliseconds.map { .milliseconds($0) }
            if isWhole { open.remove(at: place) }
        case .failure(let words):
            guard let place = waiting(line, for: nil) else { return }
            calls[open[place]].failure = words
            open.remove(at: place)
        case .end(let isRequest, let words):
            guard let place = printing(line, isRequest: isRequest) else { return }
            calls[open[place]].end(words)
            if !isRequest { open.remove(at: place) }
        case .other:
            guard let place = open.lastIndex(where: { line.isBehind(calls[$0].mark) && calls[$0].isPrinting })
            else {
                // Of what is printed at once only the first line has what stands before.
                if let last = open.last(where: { calls[$0].isPrinting }) {
                    calls[last].take(loose: line.text)
                }
                return
            }
            let mark = calls[open[place]].mark
            calls[open[place]].take(line.rest.dropFirst(mark.count))
        }
    }

    /// The call that an answer is of: one of the same thread, to the same URL where there are several.
    private func waiting(_ line: OkHttpLine, for url: String?) -> Int? {
        let waiting = open.indices.filter {
            !calls[open[$0]].isAnswered && calls[open[$0]].mark == line.mark
        }
        return waiting.last { calls[open[$0]].url == url } ?? waiting.last
    }

    private func printing(_ line: OkHttpLine, isRequest: Bool) -> Int? {
        open.lastIndex { calls[$0].mark == line.mark && calls[$0].isAnswered != isRequest }
    }
}
