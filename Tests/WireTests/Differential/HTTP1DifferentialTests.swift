import TestSupport
import Testing

/// Our passive reader and NIO's strict one (llhttp) on the same HTTP/1 bytes, message by message.
///
/// Where they differ ``HTTP1DeliberateDifference`` says why that is meant.
struct HTTP1DifferentialTests {
    private static func expectExplained(_ subject: HTTP1Bytes, _ place: String) {
        guard let difference = HTTP1Comparison.difference(subject) else { return }
        let isExplained = HTTP1DeliberateDifference.table.contains { $0.explains(difference) }
        #expect(
            isExplained,
            "\(place): \(difference) \(difference.parts.isEmpty ? "" : "\(difference.mine as Any) \(difference.other as Any)") of \(String(decoding: subject.bytes, as: UTF8.self).debugDescription)"
        )
    }

    @Test(arguments: 0..<4) func soundMessagesDifferOnlyAsExplained(seed: Int) {
        var messages = HTTP1Mutations(seed: UInt64(100 + seed))
        for round in 0..<250 {
            Self.expectExplained(messages.requests(), "seed \(seed), round \(round)")
            Self.expectExplained(messages.answers(), "seed \(seed), round \(round)")
        }
    }

    @Test(arguments: 0..<8) func spoiledMessagesDifferOnlyAsExplained(seed: Int) {
        var messages = HTTP1Mutations(seed: UInt64(200 + seed))
        for round in 0..<250 {
            let requests = messages.requests()
            Self.expectExplained(messages.spoil(requests), "seed \(seed), round \(round)")
            let answers = messages.answers()
            Self.expectExplained(messages.spoil(answers), "seed \(seed), round \(round)")
        }
    }

    /// Inputs that fuzzing has found worth keeping, as what either side may say.
    @Test func keptInputsDifferOnlyAsExplained() throws {
        for (name, bytes) in try FuzzingCorpus.inputs("HTTP1") {
            Self.expectExplained(HTTP1Bytes(bytes: bytes), name)
            for method in ["GET", "HEAD", "CONNECT"] {
                let methods = [String](repeating: method, count: 8)
                Self.expectExplained(HTTP1Bytes(bytes: bytes, answering: methods), "\(name) as answers")
            }
        }
    }

    /// No row without a case, and no case that is another row's.
    @Test(arguments: HTTP1DeliberateDifference.table.indices) func rowIsThereForItsExample(row: Int) throws {
        let entry = HTTP1DeliberateDifference.table[row]
        let difference = try #require(HTTP1Comparison.difference(entry.example), "\(entry.why)")
        let first = HTTP1DeliberateDifference.table.firstIndex { $0.explains(difference) }
        #expect(first == row, "\(entry.why): \(difference)")
    }

    /// What is compared is there at all.
    @Test func bothReadersReadEveryPart() {
        let requests = HTTP1Bytes.requests(
            "POST /a?b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nT: u\r\n\r\nGET /c HTTP/1.1\r\n\r\n"
        )
        let answers = HTTP1Bytes.answers(
            "HTTP/1.1 103 x\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 404 x\r\n\r\nto the end"
        )
        for reading in [requests.byUs(), requests.byNIO()] {
            #expect(reading.messages.map(\.start) == [["POST", "/a?b"], ["GET", "/c"]])
            #expect(reading.messages.first?.fields == ["Host: x", "Transfer-Encoding: chunked"])
            #expect(reading.messages.first?.body == Array("a".utf8))
            #expect(reading.messages.first?.trailers == ["T: u"])
            #expect(reading.messages.map(\.isWhole) == [true, true] && reading.refusal == nil)
        }
        for reading in [answers.byUs(), answers.byNIO()] {
            #expect(reading.messages.map(\.start) == [["103"], ["200"], ["404"]])
            #expect(reading.messages.map(\.body) == [[], Array("a".utf8), Array("to the end".utf8)])
            #expect(reading.messages.map(\.isWhole) == [true, true, true] && reading.refusal == nil)
        }
    }
}
