import Captures
import Flows
import JSON
import OAuth

extension Exchange {
    /// When the server says that it answered (`Date`, RFC 9110, section 6.6.1); nil where it says nothing.
    var serverTime: Timestamp? { response?.headers.first("date").flatMap { Timestamp(httpDate: $0) } }

    /// Whether the answer may have come out of a cache, with the time at which it was put there.
    var isCached: Bool {
        guard let response else { return true }
        return response.status == 304 || response.headers.contains("age") || foreign["_fromCache"] != nil
    }
}

/// The time of an answer: by the server's clock where it states it, else by the recorder's.
struct AnswerTime {
    var exchange: Int
    var time: Timestamp
    var isStated: Bool

    init(of exchange: Int, in flow: Flow) {
        self.exchange = exchange
        let recorded = flow.capture[exchange]
        isStated = recorded.serverTime != nil
        time = recorded.serverTime ?? recorded.endedAt
    }

    func evidence(note: String? = nil) -> Evidence {
        Evidence(
            place: isStated
                ? Place(exchange: exchange, part: .responseHeader, name: "Date")
                : Place(exchange: exchange, part: .timing, name: "time"),
            value: time.rfc3339,
            note: note
        )
    }
}

extension DeliveredIDToken {
    /// When the provider gave the token out; nil where only the app's clock says when it came.
    func delivery(in flow: Flow) -> AnswerTime? {
        if tokenRequest != nil { return idToken.place.exchange.map { AnswerTime(of: $0, in: flow) } }
        // In the front channel the callback is answered by the app.
        return login?.response?.deliveredBy.map { AnswerTime(of: $0, in: flow) }
            ?? handed?.response?.deliveredBy.map { AnswerTime(of: $0, in: flow) }
    }

    /// When the app's server was shown a token that it did not fetch itself: an app may have kept it for too long.
    func showing(in flow: Flow) -> AnswerTime? {
        handed?.response?.callback.map { AnswerTime(of: $0, in: flow) }
    }
}
