import Captures
import TestSupport
import Testing
import Wire

/// How much of HTTP/2 is kept.
struct HTTP2MemoryTests {
    private var client = HTTP2Speaker.client()
    private var server = HTTP2Speaker.server()

    @Test mutating func ofABodyAsMuchIsKeptAsIsAskedFor() {
        client.get(1, "/a")
        server.headers(1, [(":status", "200")])
        server.data(1, "0123456789")
        server.data(1, "0123456789", ends: true)
        let exchanges = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes),
        ]) {
            $0.maximumBodyBytes = 12
        }
        #expect(exchanges.first?.response?.body?.text == "012345678901")
        #expect(exchanges.first?.response?.body?.wireSize == 20)
        #expect(exchanges.first?.response?.body?.isTruncated == true)
    }

    @Test mutating func connectionsShareWhatMemoryThereIs() {
        let budget = RecordingBudget(bytes: 4_000)
        client.get(1, "/a")
        client.get(3, "/b")
        let asked = client.take()
        server.headers(1, [(":status", "200")])
        server.headers(3, [(":status", "200")])
        server.data(1, String(repeating: "x", count: 2_000))
        server.data(3, String(repeating: "y", count: 2_000), ends: true)
        server.data(1, "", ends: true)
        let exchanges = HTTP2ConversationTests.exchanges([.clientBytes(asked), .serverBytes(server.bytes)]) {
            $0.budget = budget
        }
        let kept = exchanges.compactMap { $0.response?.body?.bytes?.count }
        // Heads count, too.
        #expect(kept.reduce(0, +) < 3_500 && kept.last == 2_000)
        #expect(exchanges.map { $0.response?.body?.wireSize } == [2_000, 2_000])
        #expect(exchanges.map { $0.response?.body?.isTruncated } == [true, false])
        #expect(budget.available == 4_000)
        // One that is forgotten under way gives back, too.
        client = HTTP2Speaker.client()
        client.headers(1, HTTP2Speaker.request("POST", "/c"))
        client.data(1, "0123456789")
        _ = HTTP2ConversationTests.exchanges([.clientBytes(client.bytes)]) { $0.budget = budget }
        #expect(budget.available == 4_000)
    }

    @Test mutating func headsThatThereIsNoRoomForAreNotRead() {
        let budget = RecordingBudget(bytes: 1_000)
        for number in 0..<4 { client.get(UInt32(number * 2 + 1), "/\(number)") }
        var dialogue = Dialogue.overHTTP2([.clientBytes(client.bytes)])
        dialogue.budget = budget
        let exchanges = dialogue.exchanges()
        #expect((1..<4).contains(exchanges.count))
        #expect(
            exchanges.allSatisfy {
                $0.failure?.hasPrefix("the connection could not be read any further") == true
            }
        )
        #expect(budget.available == 1_000)
        let half = "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 2_000)
        dialogue = Dialogue([.client("GET / HTTP/1.1\r\n"), .client(half)])
        dialogue.budget = budget
        #expect(
            dialogue.exchanges().map(\.failure) == [
                "the connection could not be read any further: the limit of what is recorded at a time is reached"
            ]
        )
        #expect(budget.available == 1_000)
    }
}
