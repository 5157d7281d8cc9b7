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

    @Test mutating func nothingIsKeptBehindTheEnd() {
        say(.client, HTTP3Dialogue.clientEncoder, Speaker.encoder(4096, [("a", "b")]))
        #expect(decoder.fields.client.table.inserted == 1)
        decoder.failAll("the recording ended", Self.now, &held)
        #expect(decoder.fields.client.table.inserted == 0)
        login(0)
        #expect(held.ends == 0)
    }
}
