import Captures
import Packets
import Testing
import Wire

/// Connections that came to nothing or broke off: which are entries, and who is said to have ended them.
struct FailedConnectionTests {
    @Test(arguments: [
        (TCPStreamEnd.reset(by: .server), Side.client, "connection reset by the server"),
        (.reset(by: .server), .server, "connection reset by the server"),
        (.reset(by: .client), .server, "the client reset the connection"),
        (.captureEnded, .server, "the capture ends before the answer was complete"),
    ])
    func answerThatBreaksOffSaysWhy(end: TCPStreamEnd, side: Side, words: String) {
        var script = ConnectionScript()
        script.open()
        script.client("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nbegin")
        script.close(end, by: side)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.failure) == [words])
    }

    @Test func refusedConnectionIsAnEntryWhereItWasForTheWeb() {
        var script = ConnectionScript()
        for port: UInt16 in [443, 9443, 5432, 22] {
            script.open(port: port)
            script.close(.reset(by: .server))
        }
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.text) == ["https://10.0.0.2/", "https://10.0.0.2:9443/"])
        #expect(exchanges.map(\.failure) == ["connection refused", "connection refused"])
    }

    /// A provider that goes down while somebody logs in, on whichever port.
    @Test(arguments: [
        ("GET /one HTTP/1.1\r\nHost: a.example\r\n\r\n", "a.example"),
        ("\u{16}\u{3}\u{1}\u{0}\u{5}\u{1}....", "10.0.0.2"),
    ])
    func refusedConnectionIsAnEntryWhereTheServerHadSpokenTLSOrHTTP(words: String, host: String) {
        var script = ConnectionScript()
        script.open(port: 6379)
        script.close(.reset(by: .server))
        script.open(port: 6379)
        script.client(words)
        script.server(ConnectionScript.answer)
        script.close()
        script.open(port: 6379)
        script.close(.reset(by: .server))
        script.open(port: 6380)
        script.close(.reset(by: .server))
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.last?.request.url.text == "https://\(host):6379/")
        #expect(exchanges.filter { $0.failure == "connection refused" }.count == 1)
    }

    @Test func connectionThatNobodyAnsweredIsAnEntry() {
        var script = ConnectionScript()
        script.open(port: 8443)
        script.close(.unanswered(attempts: 4, rejection: nil))
        script.open(port: 8443)
        script.close(.unanswered(attempts: 1, rejection: "10.0.0.9: ICMP port unreachable"))
        script.open(port: 8443)
        script.close(.captureEnded)
        let exchanges = script.exchanges.takeFinished()
        #expect(
            exchanges.map(\.failure) == [
                "connection timed out: nobody answered 4 tries to connect",
                "connection rejected by 10.0.0.9: ICMP port unreachable",
            ]
        )
    }

    /// What was refused said nothing of whom it was for; others had asked the server for one host.
    @Test(arguments: [(["id.example"], "id.example"), (["id.example", "b.example"], "10.0.0.2")])
    func refusedConnectionHasTheNameItsServerIsKnownBy(hosts: [String], name: String) {
        var script = ConnectionScript()
        for host in hosts {
            script.open(port: 80)
            script.client("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            script.server(ConnectionScript.answer)
            script.close()
        }
        for _ in 0..<2 {
            script.open(port: 80)
            script.close(.reset(by: .server))
        }
        let refused = script.exchanges.takeFinished().filter { $0.failure == "connection refused" }
        #expect(refused.map(\.request.url.host) == [name, name])
    }

    @Test func clientThatWentWithoutItsAnswerIsSaidToHaveGone() {
        var script = ConnectionScript()
        script.open()
        script.client("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.exchanges.ended(.client, of: 0, .finished, at: Timestamp(nanoseconds: 0))
        script.close(.captureEnded)
        let exchanges = script.exchanges.takeFinished()
        #expect(
            exchanges.map(\.failure) == ["the client closed the connection before the answer was complete"]
        )
    }

    /// The server's end is its reply to the client's; one that comes much later, or behind bytes, is its own.
    @Test(arguments: [
        (1_000, 3, false, "the client closed the connection before the answer was complete"),
        (1_000, 20_000, false, "the server closed the connection before the answer was complete"),
        (1_000, 3, true, "the server closed the connection before the answer was complete"),
        // It says at once that it has no more to say.
        (1, 3, false, "the server closed the connection before the answer was complete"),
    ])
    func whoGaveUpIsWhoClosedFirst(waits: Int, milliseconds: Int, answers: Bool, words: String) {
        var script = ConnectionScript()
        script.open()
        script.client("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nha")
        script.now = script.now + .milliseconds(waits)
        script.exchanges.ended(.client, of: 0, .finished, at: script.now)
        script.now = script.now + .milliseconds(milliseconds)
        if answers { script.server("lf") }
        script.close(.finished)
        #expect(script.exchanges.takeFinished().map(\.failure) == [words])
    }

    /// Who has not read all that a client said, as the end of its TLS, closes with a reset.
    @Test(arguments: [
        (3, "the client closed the connection before the answer was complete"),
        (20_000, "connection reset by the server"),
    ])
    func aResetIsNoReasonBehindAClientThatHasGone(milliseconds: Int, words: String) {
        var script = ConnectionScript()
        script.open()
        script.client("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.now = script.now + .seconds(1)
        script.exchanges.ended(.client, of: 0, .finished, at: script.now)
        script.now = script.now + .milliseconds(milliseconds)
        script.close(.reset(by: .server))
        #expect(script.exchanges.takeFinished().map(\.failure) == [words])
    }

    /// Clear text on a port of TLS: some answer it with an alert, others in clear as well.
    @Test(arguments: [7, 1, 5]) func anAlertOfTLSAnswersNoRequestInClear(inPiecesOf size: Int) {
        var script = ConnectionScript()
        script.open(port: 8443)
        script.client("GET /authorize HTTP/1.1\r\nHost: op.example:8443\r\n\r\n")
        let alert: [UInt8] = [0x15, 3, 3, 0, 2, 2, 10]
        for start in stride(from: 0, to: alert.count, by: size) {
            script.send(Array(alert[start...].prefix(size)), .server)
        }
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(
            exchanges.map(\.failure) == [
                "the server answered with the TLS alert unexpected_message: it speaks https on this port"
            ]
        )
        #expect(exchanges.allSatisfy { $0.malformations.isEmpty })
    }

    /// A reset ends both sides, of which the client's end is told first.
    @Test func halfAnAlertBeforeAResetIsNoExchangeOfItsOwn() {
        var script = ConnectionScript()
        script.open(port: 8443)
        script.client("GET /authorize HTTP/1.1\r\nHost: op.example:8443\r\n\r\n")
        script.send([0x15, 3, 3], .server)
        script.exchanges.ended(.client, of: script.stream, .reset(by: .server), at: script.now)
        script.close(.reset(by: .server))
        #expect(script.exchanges.takeFinished().map(\.request.method) == ["GET"])
    }

    /// A request that breaks off in its head is no entry, with half of its fields, but something came.
    @Test(arguments: [
        (TCPStreamEnd.finished, Side.client, "the client closed the connection"),
        (.finished, .server, "the server closed the connection"),
        (.reset(by: .client), .client, "the client reset the connection"),
        (.reset(by: .server), .server, "the server reset the connection"),
        (.captureEnded, .client, "the capture ends"),
    ])
    func halfOfAHeadIsTold(end: TCPStreamEnd, side: Side, words: String) {
        var script = ConnectionScript()
        script.open()
        script.client("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.client("GET /callback?code=SplxlOBeZQQYbYS6WxSbIA HTTP/1.1\r\nHost: a.exa")
        script.close(end, by: side)
        #expect(script.exchanges.takeFinished().map(\.failure) == [nil])
        #expect(
            script.exchanges.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:80: \(words) in the middle of a request's head (GET /callback)"
            ]
        )
    }

    /// What was answered is an entry, and what some clients send behind a body no request.
    @Test func whatIsNoHalfOfAHeadIsNotTold() {
        var script = ConnectionScript()
        script.open()
        script.client("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\n\r\nx\r\n")
        script.server(ConnectionScript.answer)
        script.client("GET /slow HTTP/1.1\r\nHost: a.exa")
        script.server("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
        script.close()
        #expect(script.exchanges.takeFinished().map(\.response?.status) == [200, 408])
        script.open()
        script.client("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\n\r\nx\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        #expect(script.exchanges.takeFinished().map(\.failure) == [nil])
        #expect(script.exchanges.report.losses.isEmpty)
    }
}
