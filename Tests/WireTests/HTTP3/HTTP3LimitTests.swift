import Captures
import TestSupport
import Testing
@testable import Wire

/// That no HTTP/3 connection takes more memory or time than what it carries.
struct HTTP3LimitTests {
    private typealias Speaker = HTTP3Speaker

    private static let now = Timestamp(seconds: 1_780_000_000)

    /// Counts what a decoder holds.
    private struct Held: ExchangeEventSink {
        var bytes = 0
        var room = Int.max
        var failures: [String] = []
        var ends = 0

        mutating func receive(_ event: ExchangeEvent, of exchange: Int) {
            if case .failed(let reason, _) = event { failures.append(reason) }
            if case .responseEnd = event { ends += 1 }
        }
        mutating func receiveBody(_: UnsafeBufferPointer<UInt8>, of: MessageSide, in: Int) {}
        mutating func mayHold(_ change: Int) -> Bool {
            guard change <= 0 || bytes + change <= room else { return false }
            bytes += change
            return true
        }
    }

    private var decoder = HTTP3Decoder(scheme: "https")
    private var held = Held()

    private mutating func say(_ side: Side, _ stream: Int, _ bytes: [UInt8], ends: Bool = false) {
        decoder.receive(bytes[...], of: stream, from: side, isLast: ends, at: Self.now, into: &held)
    }

    private mutating func login(_ stream: Int) {
        say(.client, stream, Speaker.request("GET", "/login"), ends: true)
        say(.server, stream, Speaker.answer("200"), ends: true)
    }

    // MARK: - What waits

    /// The stream belongs to another protocol, which may say as much as it likes.
    @Test mutating func whatWebTransportSaysIsNotHeld() {
        held.room = 100_000
        say(.client, 0, [0x40, 0x41, 0] + [UInt8](repeating: 7, count: 10))
        for _ in 0..<100 { say(.server, 0, [UInt8](repeating: 7, count: 10_000)) }
        #expect(held.bytes == 0)
        login(4)
        decoder.failAll("the recording ended", Self.now, &held)
        #expect(held.ends == 1 && held.failures == [])
    }

    /// An answer without its request, and one whose head waits, are kept to a limit; the connection goes on.
    @Test(arguments: [false, true]) mutating func oneStreamHoldsNoMoreThanItsShare(isBlocked: Bool) {
        held.room = 3 << 20
        if isBlocked {
            say(.client, HTTP3Dialogue.clientControl, Speaker.control([(1, 4096)]))
            say(.client, 0, Speaker.request("GET", "/large"), ends: true)
        }
        let section = Speaker.prefix(inserted: 1, tableBytes: 4096) + Speaker.literal(":status", "200")
        say(.server, 0, isBlocked ? Speaker.frame(1, section + Speaker.indexed(0)) : Speaker.answer("200"))
        let piece = Speaker.frame(0, [UInt8](repeating: 7, count: 60_000))
        for _ in 0..<100 { say(.server, 0, piece) }
        #expect(held.bytes > 1 << 19 && held.bytes < 2 << 20)
        login(4)
        #expect(held.ends == 1)
        if isBlocked {
            say(.server, HTTP3Dialogue.serverEncoder, Speaker.encoder(4096, [("a", "b")]))
        } else {
            say(.client, 0, Speaker.request("GET", "/large"), ends: true)
        }
        say(.server, 0, [], ends: true)
        #expect(held.ends == 2 && held.failures == [])
        decoder.failAll("the recording ended", Self.now, &held)
        #expect(held.bytes == 0)
    }

    @Test func whatIsNotKeptOfAnAnswerIsMarked() throws {
        var dialogue = HTTP3Dialogue()
        let size = 3 << 20
        dialogue.server(0, Speaker.answer("200", [("content-length", "\(size)")]))
        dialogue.server(0, Speaker.frame(0, [UInt8](repeating: 0x61, count: size)), ends: true)
        dialogue.client(0, Speaker.request("GET", "/large"), ends: true)
        for pieces in [Int.max, 10_000] {
            let exchange = try #require(dialogue.exchanges(piecesOf: pieces).first)
            #expect(exchange.request.url.path == "/large" && exchange.failure == nil)
            #expect(exchange.response?.body?.isTruncated == true)
            #expect(exchange.response?.body?.wireSize == size)
            #expect((1 << 19...2 << 20).contains(exchange.response?.body?.bytes?.count ?? 0))
            #expect(exchange.malformations.isEmpty)
        }
    }

    /// What follows the answer to an extended CONNECT is not counted twice.
    @Test mutating func whatWaitedForAnUpgradeIsGivenBack() {
        say(.client, HTTP3Dialogue.clientControl, Speaker.control([(1, 4096)]))
        say(
            .client,
            0,
            Speaker.headers([
                (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":path", "/ws"),
                (":authority", "idp.example"),
            ])
        )
        let section = Speaker.prefix(inserted: 1, tableBytes: 4096) + Speaker.literal(":status", "200")
        say(.server, 0, Speaker.frame(1, section + Speaker.indexed(0)) + Speaker.data("hello"))
        say(.server, HTTP3Dialogue.serverEncoder, Speaker.encoder(4096, [("a", "b")]))
        // The field in the table remains.
        #expect(held.ends == 1 && held.bytes == 34)
    }

    /// Sections that wait one behind the other do not move what is behind them each time.
    @Test mutating func sectionsThatWaitBehindEachOtherTakeNoMoreTime() {
        func time(behind count: Int) -> Double {
            var copy = self
            let sections = (1...4000).flatMap { number in
                Speaker.frame(1, Speaker.prefix(inserted: number, tableBytes: 65536))
            }
            copy.say(.server, HTTP3Dialogue.serverControl, Speaker.control([(1, 65536)]))
            copy.say(
                .client,
                0,
                sections + Speaker.frame(0, [UInt8](repeating: 7, count: count))
            )
            let fields = Speaker.encoder(65536, (0..<4000).map { _ in ("a", "b") })
            let time = ProcessorTime.seconds { copy.say(.client, HTTP3Dialogue.clientEncoder, fields) }
            #expect(!copy.decoder.hasLostTheThread && copy.decoder.streams[0]?.client.blocked == nil)
            return time
        }
        let (short, long) = (0..<3).reduce((Double.infinity, Double.infinity)) { best, _ in
            (min(best.0, time(behind: 1000)), min(best.1, time(behind: 900_000)))
        }
        #expect(long < 2 * short, "\(short) s and \(long) s")
    }

    /// An insertion that nobody waits for does not look at who waits.
    @Test mutating func insertionsCostNoMoreWhereManyWait() {
        func time(waiting count: Int) -> Double {
            var copy = self
            copy.say(.server, HTTP3Dialogue.serverControl, Speaker.control([(1, 65536)]))
            for number in 0..<count {
                let section = Speaker.prefix(inserted: 2000, tableBytes: 65536)
                copy.say(.client, 4 * number, Speaker.frame(1, section))
            }
            let fields = Speaker.encoder(65536, (0..<1800).map { _ in ("a", "b") })
            let time = ProcessorTime.seconds { copy.say(.client, HTTP3Dialogue.clientEncoder, fields) }
            #expect(!copy.decoder.hasLostTheThread && copy.decoder.streams.count == count)
            return time
        }
        let (few, many) = (0..<3).reduce((Double.infinity, Double.infinity)) { best, _ in
            (min(best.0, time(waiting: 1)), min(best.1, time(waiting: 500)))
        }
        #expect(many < 2 * few, "\(few) s and \(many) s")
    }

    // MARK: - Tables

    /// SETTINGS come once (RFC 9114, section 7.2.4).
    @Test mutating func onlyTheFirstSettingsCount() {
        say(.server, HTTP3Dialogue.serverControl, Speaker.control([(1, 4096)]))
        say(.server, HTTP3Dialogue.serverControl, Speaker.frame(4, [1, 0]))
        say(.client, HTTP3Dialogue.clientEncoder, Speaker.encoder(4096, [("a", "b")]))
        let section = Speaker.prefix(inserted: 1, tableBytes: 4096) + Speaker.indexed(0)
        say(.client, 0, Speaker.frame(1, section), ends: true)
        say(.server, 0, Speaker.answer("200"), ends: true)
        #expect(held.ends == 1 && held.failures == [])
    }

    @Test mutating func aTableIsNoLargerThanTheOtherSideAllows() {
        say(.client, HTTP3Dialogue.clientControl, Speaker.control([(1, 4095)]))
        say(.client, 0, Speaker.request("GET", "/a"))
        say(.server, HTTP3Dialogue.serverEncoder, Speaker.encoder(4096, []))
        #expect(held.failures.first?.hasSuffix("(a table of 4096 bytes)") == true)
    }

    /// Some bytes fill a table; many connections have one.
    @Test mutating func tablesHaveToHaveRoom() {
        held.room = 3000
        login(0)
        let fields = Speaker.encoder(4096, (0..<60).map { _ in ("a", "b") })
        say(.client, HTTP3Dialogue.clientEncoder, Array(fields))
        #expect(held.bytes == 60 * 34 && held.failures == [])
        // The beginning of an instruction counts too.
        let long = Speaker.insert("a", String(repeating: "b", count: 1000))
        say(.client, HTTP3Dialogue.clientEncoder, Array(long.prefix(900)))
        #expect(held.bytes == 60 * 34 + 900)
        say(.server, HTTP3Dialogue.serverEncoder, Array(fields))
        #expect(held.failures.first?.hasSuffix(LossReason.noRoom) == true && held.bytes == 0)
    }

    @Test mutating func nothingIsKeptBehindTheEnd() {
        say(.client, HTTP3Dialogue.clientEncoder, Speaker.encoder(4096, [("a", "b")]))
        #expect(decoder.fields.client.table.inserted == 1)
        decoder.failAll("the recording ended", Self.now, &held)
        #expect(decoder.fields.client.table.inserted == 0)
        login(0)
        #expect(held.ends == 0)
    }
}
