import Captures
@testable import Packets
import Testing
import Wire

/// Captures whose times go back: the clock was set, or they are put together.
struct ClockStepsTests {
    private static let get = Array("GET / HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8)
    private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

    /// As far as captures mix up packets is no step.
    @Test(
        arguments: [
            (900, []),
            (
                30_000,
                ["packet 5: the clock goes back by 30 s: what was under way may seem to have taken no time"]
            ),
        ] as [(Int64, [String])]
    )
    func anAnswerIsNotBeforeItsRequest(milliseconds: Int64, losses: [String]) {
        var made = PacketBuilder()
        let next = made.say([(.client, Self.get)])
        made.send(.server, "PA", next.server, next.client, Self.answer, after: -milliseconds)
        var decoder = PacketDecoder(
            into: PacketExchanges(maximumBodyBytes: 1 << 20, budget: RecordingBudget(bytes: 1 << 30))
        )
        for (index, packet) in made.packets.enumerated() { decoder.give(packet, number: index + 1) }
        decoder.finish()
        let exchanges = decoder.sink.takeFinished()
        #expect(exchanges.map(\.startedAt) == [PacketBuilder.start + .milliseconds(4)])
        #expect(exchanges.map(\.duration) == [.zero])
        #expect(decoder.losses.map(\.description) == losses)
    }

    @Test func theFirstOfSeveralStepsHasItsPlace() {
        var clock = ClockSteps()
        for (index, seconds) in [10, 11, 5, 6, 7, 3, 4].enumerated() {
            clock.note(Timestamp(seconds: Int64(seconds)), of: index + 1)
        }
        #expect(
            clock.loss?.description == "packet 3: the clock goes back by 6 s, the first time of 2: "
                + "what was under way may seem to have taken no time"
        )
    }

    @Test func anAnswerOfQUICIsNotBeforeItsRequest() {
        var speaker = QUICSpeaker()
        var packets = QUICImportTests.packets(QUICImportTests.login(&speaker))
        for index in packets.indices.suffix(2) {
            packets[index].time = packets[index].time + .seconds(-30)
        }
        let read = PacketImport(packets, keyLog: QUICSpeaker.keyLog())
        #expect(QUICImportTests.said(read.exchanges) == QUICImportTests.loginSaid)
        #expect(read.exchanges.allSatisfy { ($0.duration ?? .seconds(-1)) >= .zero })
    }
}
