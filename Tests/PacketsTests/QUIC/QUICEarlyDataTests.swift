import Captures
@testable import Packets
import TestSupport
import Testing
import Wire

/// What a client sends before the server has answered (0-RTT, RFC 9001, section 4.6).
struct QUICEarlyDataTests {
    private typealias Speaker = QUICSpeaker
    private typealias Turn = QUICImportTests.Turn

    private static let path = "/early"
    private static let said = ["GET https://idp.example/early 200 x"]

    /// A handshake with a request in its first flight, and an answer.
    private static func login(
        _ speaker: inout Speaker,
        resumes: Bool = true,
        takesEarlyData: Bool = true,
        again: String? = nil
    ) -> [Turn] {
        let handshake = speaker.handshake(resumes: resumes, takesEarlyData: takesEarlyData)
        let request = Speaker.stream(0, QUICImportTests.request(path), ends: true)
        let early = speaker.packet(.earlyData, .client, request)
        let repeated = again.map {
            speaker.application(.client, Speaker.stream(0, QUICImportTests.request($0), ends: true))
        }
        let answer = speaker.application(
            .server,
            Speaker.stream(0, QUICImportTests.answer("x"), ends: true)
        )
        return [(Side.client, handshake[0].1 + early)] + handshake.dropFirst() + (repeated.map { [$0] } ?? [])
            + [answer]
    }

    private static func said(_ turns: [Turn], keyLog: [UInt8] = Speaker.keyLog()) -> [String] {
        QUICImportTests.said(QUICImportTests.read(turns, keyLog: keyLog).exchanges)
    }

    @Test func isReadWithItsKey() {
        var speaker = Speaker()
        #expect(Self.said(Self.login(&speaker)) == Self.said)
        // Without it the request is sent again, or not to be had.
        var other = Speaker()
        let late = Speaker.keyLog { $0 != "CLIENT_EARLY_TRAFFIC_SECRET" }
        #expect(Self.said(Self.login(&other, again: Self.path), keyLog: late) == Self.said)
    }

    /// Nobody says then whether the server took it.
    @Test func isTakenWhereTheKeysOfTheHandshakeAreMissing() {
        var speaker = Speaker()
        let keys = Speaker.keyLog { !$0.contains("HANDSHAKE") }
        #expect(Self.said(Self.login(&speaker), keyLog: keys) == Self.said)
    }

    /// What the server does not take is as if it had not been sent.
    @Test(arguments: [true, false]) func isNoRequestWhereItWasRejected(resumes: Bool) {
        var speaker = Speaker()
        let turns = Self.login(&speaker, resumes: resumes, takesEarlyData: false, again: "/real")
        #expect(Self.said(turns) == ["GET https://idp.example/real 200 x"])
    }

    /// The server may agree on another version than the one that the client began with (RFC 9368); early data is of the first.
    @Test func isOfTheVersionThatTheClientBeganWith() {
        var (speaker, other) = (Speaker(), Speaker())
        other.version = QUICVersion.all[1]
        let early = speaker.packet(
            .earlyData,
            .client,
            Speaker.stream(0, QUICImportTests.request(Self.path), ends: true)
        )
        let first = speaker.first(Speaker.crypto(Speaker.clientHello()))
        let rest = other.handshake(resumes: true, takesEarlyData: true).dropFirst()
        let answer = other.application(
            .server,
            Speaker.stream(0, QUICImportTests.answer("x"), ends: true)
        )
        #expect(Self.said([(Side.client, first + early)] + rest + [answer]) == Self.said)
    }
}
