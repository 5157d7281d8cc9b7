@testable import Captures

/// Writes down what a decoder reports, body bytes joined, so that two readings can be compared.
struct EventLog: ExchangeEventSink, Equatable {
    enum Line: Equatable {
        case event(ExchangeEvent)
        case body(MessageSide, [UInt8])
    }

    /// Of each exchange, in order.
    private(set) var lines: [Int: [Line]] = [:]
    /// Bytes of the fields of exchanges that are not complete, as whoever assembles them keeps them.
    private var kept: [Int: Int] = [:]
    private(set) var mostKept = 0
    /// What the decoder says it holds.
    private(set) var held = 0
    private(set) var mostHeld = 0
    private(set) var leastHeld = 0
    /// What it may hold.
    var room = Int.max

    static func == (left: EventLog, right: EventLog) -> Bool { left.lines == right.lines }

    mutating func receive(_ event: ExchangeEvent, of exchange: Int) {
        lines[exchange, default: []].append(.event(event))
        switch event {
        case .requestHead(let head, _): keep(head.headers, of: exchange)
        case .responseHead(let head, _): keep(head.headers, of: exchange)
        case .requestTrailers(let fields), .responseTrailers(let fields): keep(fields, of: exchange)
        case .responseEnd, .failed: kept[exchange] = nil
        default: break
        }
    }

    private mutating func keep(_ headers: HeaderFields, of exchange: Int) {
        kept[exchange, default: 0] += headers.fields.reduce(0) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
        mostKept = max(mostKept, kept.values.reduce(0, +))
    }

    mutating func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>, of message: MessageSide, in exchange: Int)
    {
        if case .body(message, var sofar)? = lines[exchange]?.last {
            lines[exchange]?.removeLast()
            sofar += bytes
            lines[exchange]?.append(.body(message, sofar))
        } else {
            lines[exchange, default: []].append(.body(message, Array(bytes)))
        }
    }

    mutating func mayHold(_ change: Int) -> Bool {
        guard change <= 0 || held + change <= room else { return false }
        held += change
        mostHeld = max(mostHeld, held)
        leastHeld = min(leastHeld, held)
        return true
    }

    /// No more is given back than was held, and no more held than allowed.
    ///
    /// - Throws: ``FuzzFinding`` where it is not so.
    func checkHeld(atMost limit: Int) throws(FuzzFinding) {
        try require(leastHeld >= 0, "more was given back than was held")
        try require(mostHeld <= limit, "\(mostHeld) bytes were held, \(limit) are allowed")
        try require(mostKept <= limit, "\(mostKept) bytes of fields were kept, \(limit) are allowed")
    }

    /// The first exchange that differs, for the message.
    func difference(to other: EventLog) -> String {
        for exchange in Set(lines.keys).union(other.lines.keys).sorted()
        where lines[exchange] != other.lines[exchange] {
            return "exchange \(exchange): \(lines[exchange] ?? []) instead of \(other.lines[exchange] ?? [])"
        }
        return "nothing"
    }
}
