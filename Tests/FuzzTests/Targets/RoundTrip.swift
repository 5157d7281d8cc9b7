@testable import Captures
import JSON

/// What was decoded from arbitrary bytes is a sound capture, and comes back from it as it was.
enum RoundTrip {
    static func check(_ exchanges: [Exchange]) throws(FuzzFinding) {
        guard !exchanges.isEmpty else { return }
        for exchange in exchanges {
            try require(exchange.malformations.count <= 256, "\(exchange.malformations.count) malformations")
        }
        let text = file(exchanges)
        let capture = try read(text)
        try require(capture.count == exchanges.count, "\(capture.count) of \(exchanges.count) entries")
        for index in capture.indices {
            try compare(capture[index], exchanges[index])
        }
        try isStable(capture)
    }

    /// Whether a capture that is written says the same when it is read and written again.
    static func isStable(_ capture: Capture) throws(FuzzFinding) {
        let second = try read(file(capture.indices.map { capture[$0] }))
        try require(second.count == capture.count, "\(second.count) of \(capture.count) entries")
        for index in capture.indices { try compare(second[index], capture[index]) }
        // What we write and do not read, `cache`, moves behind the rest once.
        let text = file(second.indices.map { second[$0] })
        let third = try read(text)
        let again = file(third.indices.map { third[$0] })
        try require(again == text, "written twice: \(Self.difference(text, again))")
    }

    static func file(_ exchanges: [Exchange]) -> [UInt8] {
        var facts = FactsText()
        let entries = EncodedEntries(exchanges, &facts)
        return Array(
            "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"authreel\",\"version\":\"0\"},\"entries\":["
                .utf8
        )
            + entries.bytes.dropFirst()
    }

    private static func read(_ text: [UInt8]) throws(FuzzFinding) -> Capture {
        do {
            _ = try JSONParser.parse(text)
            let capture = try CaptureReader.read(bytes: text, name: "capture")
            // Of an entry without a URL it is told that it has none.
            let isSilent = capture.indices.contains { capture[$0].request.url.text.isEmpty }
            try require(capture.losses.isEmpty || isSilent, "\(capture.losses)")
            return capture
        } catch {
            throw FuzzFinding("what was written cannot be read: \(error)")
        }
    }

    private static func compare(_ found: Exchange, _ wanted: Exchange) throws(FuzzFinding) {
        try same(found.request.method, wanted.request.method, "method")
        try same(found.request.url.text, wanted.request.url.text, "URL")
        try same(found.request.httpVersion, wanted.request.httpVersion, "version")
        try same(fields(found.request.headers), fields(wanted.request.headers), "request fields")
        try same(fields(found.request.trailers), fields(wanted.request.trailers), "request trailers")
        try same(body(found.request.body), body(wanted.request.body), "request body")
        try same(found.failure, wanted.failure.flatMap { $0.isEmpty ? nil : $0 }, "failure")
        try same(found.upgradedTo, wanted.upgradedTo, "protocol")
        try same(found.malformations, wanted.malformations, "malformations")
        try same(found.isPushed, wanted.isPushed, "pushed")
        guard let response = wanted.response, (100...999).contains(response.status) else { return }
        guard let read = found.response else { throw FuzzFinding("the answer is lost") }
        try same(read.status, response.status, "status")
        try same(Array(read.statusText.utf8), Array(response.statusText.utf8), "reason")
        try same(fields(read.headers), fields(response.headers), "answer fields")
        try same(fields(read.trailers), fields(response.trailers), "answer trailers")
        try same(body(read.body), body(response.body), "answer body")
    }

    /// Blanks around a value are none of it, and not read back.
    private static func fields(_ fields: HeaderFields) -> [[UInt8]] {
        fields.fields.flatMap { [Array($0.name.utf8), Array(Producers.withoutBlanksAround($0.value).utf8)] }
    }

    private static func body(_ body: Body?) -> [UInt8] { body?.bytes ?? [] }

    private static func same<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String)
        throws(FuzzFinding)
    {
        try require(found == wanted, "\(what): \(found) instead of \(wanted)")
    }

    /// Both texts from shortly before their first difference on.
    static func difference(_ left: [UInt8], _ right: [UInt8]) -> String {
        let same = zip(left, right).prefix { $0 == $1 }.count
        func excerpt(_ bytes: [UInt8]) -> String {
            String(decoding: bytes.dropFirst(max(0, same - 60)).prefix(160), as: UTF8.self)
        }
        return "\(excerpt(left))\n  against \(excerpt(right))"
    }
}
