package import JSON
import Synchronization

/// A capture that is written, and can be looked at when it is whole without being read again.
///
/// Large bodies are in the file only, as when it is read.
package struct WrittenCapture {
    /// The file, once it can be read.
    private final class Source: Sendable {
        private let source = Mutex<CaptureSource?>(nil)

        func set(_ source: CaptureSource) { self.source.withLock { $0 = source } }

        func bytes(at offset: Int, count: Int) -> [UInt8] {
            source.withLock(\.self)?.bytes(at: offset, count: count) ?? []
        }
    }

    private let writer: CaptureWriter
    private let logMembers: JSONObject
    private let source = Source()
    private let recentBodies = RecentBodies()
    private var pool = StringPool()
    private var exchanges: [Exchange] = []
    private var ranges: [Range<Int>] = []
    /// What is not in the file yet: many small writes cost more than one large one.
    private var waiting: [Exchange] = []
    /// Bytes of the waiting bodies.
    private var weight = 0

    private static let maximumCount = 64
    /// The bytes of as much are still in the processor's cache when they are written.
    private static let maximumWeight = 1 << 17

    /// - Parameters:
    ///   - path: a name that is free.
    ///   - version: of the program, for `log.creator`.
    ///   - logMembers: see ``CaptureWriter/init(newAt:version:logMembers:)``.
    /// - Throws: ``CaptureError/inputOutput(path:reason:)``.
    package init(newAt path: String, version: String, logMembers: JSONObject) throws(CaptureError) {
        writer = try CaptureWriter(newAt: path, version: version, logMembers: logMembers)
        self.logMembers = logMembers
    }

    package var path: String { writer.path }

    /// Appends exchanges; they may be written later, with others.
    ///
    /// - Throws: see ``CaptureWriter/append(_:)-([Exchange])``.
    package mutating func append(_ exchanges: [Exchange]) throws(CaptureError) {
        for exchange in exchanges {
            // Where its entry begins is only known of one that is written alone.
            if exchange.hasSpooledBody { try write() }
            waiting.append(exchange)
            weight += Self.weight(exchange.request.body) + Self.weight(exchange.response?.body)
            if waiting.count >= Self.maximumCount || weight >= Self.maximumWeight || exchange.hasSpooledBody {
                try write()
            }
        }
    }

    /// How long a body is said to be may be any number.
    private static func weight(_ body: Body?) -> Int { min(body?.wireSize ?? 0, maximumWeight) }

    /// Writes what waits, and gives the capture.
    ///
    /// - Throws: see ``CaptureWriter/append(_:)-([Exchange])``.
    package mutating func finish() throws(CaptureError) -> Capture {
        try write()
        let file = try CaptureSource(path: path)
        source.set(file)
        var capture = Capture(exchanges)
        capture.logMembers = logMembers
        capture.loadEntry = { [source, ranges] in
            source.bytes(at: ranges[$0].lowerBound, count: ranges[$0].count)
        }
        capture.findLine = { [ranges, lines = LineIndex(file)] in lines.line(of: ranges[$0].lowerBound) }
        return capture
    }

    private mutating func write() throws(CaptureError) {
        guard !waiting.isEmpty else { return }
        defer {
            waiting.removeAll(keepingCapacity: true)
            weight = 0
        }
        var facts = FactsText()
        let entries = EncodedEntries(waiting, &facts)
        // Before the first entry of a file is no comma.
        let begin = writer.end - (writer.position.entries == 0 ? 1 : 0)
        try writer.append(entries)
        for (index, var exchange) in waiting.enumerated() {
            let isLast = index == waiting.count - 1
            let end = isLast ? writer.end : begin + entries.starts[index + 1] - EncodedEntries.separator.count
            let range = begin + entries.starts[index]..<end
            leaveBodies(of: &exchange, in: range)
            pool.share(&exchange)
            exchanges.append(exchange)
            ranges.append(range)
        }
    }

    /// Takes large bodies out of memory; they are read out of their entry when they are asked for.
    private func leaveBodies(of exchange: inout Exchange, in range: Range<Int>) {
        if let body = exchange.request.body, Self.isLarge(body) {
            exchange.request.body?.content = deferred(range, 0) { $0.request.body }
        }
        if let body = exchange.response?.body, Self.isLarge(body) {
            exchange.response?.body?.content = deferred(range, 1) { $0.response?.body }
        }
    }

    private func deferred(
        _ range: Range<Int>,
        _ number: Int,
        _ take: @escaping @Sendable (Exchange) -> Body?
    ) -> Body.Content {
        .deferred { [source, recentBodies] in
            recentBodies.bytes(RecentBodies.Key(offset: range.lowerBound, number: number)) {
                let text = source.bytes(at: range.lowerBound, count: range.count)
                guard let entry = (try? JSONParser.parse(text))?.object else { return nil }
                // Not deferred again: whoever asks wants it.
                return take(HAREntry.exchange(of: entry) { body in { body.bytes(in: .object(entry)) } })?
                    .bytes
            }
        }
    }

    private static func isLarge(_ body: Body) -> Bool {
        switch body.content {
        case .bytes(let bytes): bytes.count > HAREntry.eagerBodyLimit
        case .spooled: true
        case .deferred, .missing, .parameters: false
        }
    }
}
