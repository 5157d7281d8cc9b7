import Captures

/// Answers that are whole while their requests still come: some servers refuse on the head alone (RFC 9113, section 8.1).
///
/// What comes of such a request is to be in its exchange, as with ``EarlyAnswer``; which of all that a server says is one shows here
/// only.
extension HTTP2Decoder {
    /// Whether an answer that has come to its end waits for its request; once, and not where what it would wait for may be missing.
    func waits(_ stream: ExchangeStream) -> Bool {
        waitsForRequests && !stream.hasRequestEnded && stream.answeredAt == nil && stream.becomes == nil
            && stream.loss == nil
    }

    /// The request of an answer that waits is whole; nothing where none does.
    mutating func endEarlyAnswer(_ id: UInt32, _ sink: inout some ExchangeEventSink) {
        guard let end = streams[id]?.answeredAt, let stream = forget(id, &sink) else { return }
        sink.receive(.responseEnd(at: end), of: stream.exchange)
    }

    /// Ends all that wait, whose requests are not whole.
    mutating func letEarlyAnswersGo(_ sink: inout some ExchangeEventSink) {
        guard earlyAnswers > 0 else { return }
        let waiting = streams.filter { $0.value.answeredAt != nil }
        for (id, _) in waiting.sorted(by: { $0.value.exchange < $1.value.exchange }) {
            endEarlyAnswer(id, &sink)
        }
    }

    /// Ends them where there is no room for another head beside them: a server that refuses all that is sent may leave thousands.
    mutating func makeRoom(for weight: Int, _ sink: inout some ExchangeEventSink) {
        guard streams.count >= Self.maximumStreams || headBytes + weight > Self.maximumHeadBytes else {
            return
        }
        letEarlyAnswersGo(&sink)
    }
}
