import Captures
@testable import Packets
import Testing
import Wire

/// A client's hello of several packets, as those with post-quantum keys are, of which the first alone is in the capture.
struct QUICHalfHelloTests {
    private typealias Speaker = QUICSpeaker

    /// A login whose hello is there up to a place in it, and its rest, which may come late.
    private static func login(upTo count: Int) -> (turns: [QUICImportTests.Turn], rest: QUICImportTests.Turn)
    {
        var speaker = Speaker()
        let whole = QUICImportTests.login(&speaker)
        var client = Speaker()
        let hello = Speaker.clientHello()
        let first = client.first(Speaker.crypto(hello.prefix(count)))
        let rest = client.packet(.initial, .client, Speaker.crypto(hello.dropFirst(count), at: count))
        return ([(Side.client, first)] + whole.dropFirst(), (.client, rest))
    }

    /// The random is enough, and the name is there where its extension is.
    @Test(arguments: [(67, "idp.example"), (60, nil), (45, nil)]) func isReadByItsRandom(
        count: Int,
        name: String?
    ) {
        let read = QUICImportTests.read(Self.login(upTo: count).turns)
        #expect(QUICImportTests.said(read.exchanges) == QUICImportTests.loginSaid)
        #expect(read.exchanges.allSatisfy { $0.connection.serverName == name && $0.connection.alpn == "h3" })
        #expect(read.report.losses.isEmpty)
    }

    @Test func withoutARandomNoKeyIsFound() {
        let read = QUICImportTests.read(Self.login(upTo: 20).turns)
        #expect(read.exchanges.map(\.tunnel.reason) == [.notWhole])
        #expect(
            read.report.losses.map(\.what).contains {
                $0.hasSuffix("its ClientHello is not in the capture, by which keys are found")
            }
        )
    }

    /// Without keys its entry has its name.
    @Test func namesAConnectionThatStaysClosed() {
        let read = QUICImportTests.read(Self.login(upTo: 67).turns, keyLog: [])
        #expect(read.exchanges.map(\.request.url.authority) == ["idp.example"])
        #expect(read.exchanges.map(\.tunnel.reason) == [.noKeys])
    }

    /// What comes late completes it.
    @Test func isCompletedByWhatComesLate() {
        var (turns, rest) = Self.login(upTo: 60)
        turns.insert(rest, at: 2)
        let read = QUICImportTests.read(turns)
        #expect(QUICImportTests.said(read.exchanges) == QUICImportTests.loginSaid)
        #expect(read.exchanges.allSatisfy { $0.connection.serverName == "idp.example" })
    }
}
