import Captures
import Packets
import Testing
import Wire

/// Connections in clear, told to ``PacketExchanges`` as a reassembler tells them.
struct PacketExchangesTests {
    @Test func requestInClearIsAnExchangeWithItsTimesAndEnds() throws {
        var script = ConnectionScript()
        script.open()
        script.client("GET /authorize?state=1 HTTP/1.1\r\nHost: op.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        let exchange = try #require(script.exchanges.takeFinished().first)
        #expect(exchange.request.url.text == "http://op.example/authorize?state=1")
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.body?.text == "ok")
        #expect(exchange.startedAt == ConnectionScript.start + .milliseconds(2))
        #expect(exchange.timings.connect == .milliseconds(1))
        #expect(exchange.connection.serverAddress == "10.0.0.2:80")
        #expect(exchange.client.address == "10.0.0.1:50000")
        script.close()
        #expect(script.exchanges.takeFinished().isEmpty)
    }

    /// `sslsplit -X` writes what it has decrypted as if it had been said in clear; who speaks so names the port.
    @Test(arguments: [
        ("op.example", "https://op.example/"), ("[2001:db8::7]", "https://[2001:db8::7]/"),
        ("op.example:443", "http://op.example:443/"), ("[2001:db8::7]:443", "http://[2001:db8::7]:443/"),
    ])
    func clearTextOnThePortOfTLSWasDecrypted(host: String, url: String) {
        var script = ConnectionScript()
        script.open(port: 443)
        script.client("GET / HTTP/1.1\r\nHo")
        script.client("st: \(host)\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        #expect(script.exchanges.takeFinished().map(\.request.url.text) == [url])
    }

    /// RFC 9112, section 2.2.
    @Test(arguments: ["\r\n", "\r\n\r\n", "\n"]) func emptyLinesBeforeARequestArePassedOver(lines: String) {
        var script = ConnectionScript()
        script.open()
        script.client(lines)
        script.client("POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 0\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        #expect(script.exchanges.takeFinished().map { $0.request.url.path } == ["/token"])
    }

    @Test func requestThatComesByteByByteIsTheSame() {
        var script = ConnectionScript()
        script.open()
        for byte in "POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 3\r\n\r\na=b".utf8 {
            script.send([byte], .client)
        }
        for byte in ConnectionScript.answer.utf8 { script.send([byte], .server) }
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.text) == ["http://op.example/token"])
        #expect(exchanges.first?.request.body?.text == "a=b")
    }

    @Test func whatIsInATunnelIsTakenOutOfIt() {
        var script = ConnectionScript()
        script.open(port: 8080)
        script.client("CONNECT op.example:8443 HTTP/1.1\r\nHost: op.example:8443\r\n\r\n")
        script.server("HTTP/1.1 200 Connection established\r\n\r\n")
        script.client("GET /jwks HTTP/1.1\r\nX: 1\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.method) == ["GET"])
        #expect(exchanges.map(\.request.url.text) == ["http://op.example:8443/jwks"])
        // Whom the proxy asked is not to be seen.
        #expect(exchanges.first?.connection.serverAddress == nil)
    }

    @Test func serverThatSpeaksFirstInTheTunnelIsNotLost() {
        var script = ConnectionScript()
        script.open(port: 8080)
        script.client("CONNECT mail.example:25 HTTP/1.1\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\n\r\n220 mail.example ESMTP\r\n")
        script.close()
        #expect(script.exchanges.takeFinished().isEmpty)
        #expect(script.exchanges.report.counts.otherConnections == 1)
    }

    @Test func refusedTunnelIsAnExchangeOfItsOwnAndTheNextOneIsRead() {
        var script = ConnectionScript()
        script.open(port: 8080)
        script.client("CONNECT op.example:443 HTTP/1.1\r\n\r\n")
        script.server("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        script.client("CONNECT op.example:443 HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\n\r\n")
        script.client("GET / HTTP/1.1\r\n\r\n")
        script.server(ConnectionScript.answer)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map { $0.response?.status } == [407, 200])
        #expect(exchanges.map(\.request.method) == ["CONNECT", "GET"])
    }

    @Test func lostBytesOfABodyOfKnownLengthTruncateIt() {
        var script = ConnectionScript()
        script.open()
        script.client("GET /one HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 1480\r\n\r\nbegin")
        script.lost(1460, .server)
        script.server("behind the gap!")
        script.client("GET /two HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/one", "/two"])
        #expect(exchanges.first?.failure == nil)
        #expect(exchanges.first?.response?.body?.text == "begin")
        #expect(exchanges.first?.response?.body?.isTruncated == true)
        #expect(exchanges.first?.response?.body?.wireSize == 1480)
    }

    @Test func lostBytesFailTheExchangeUnderWayAndTheNextOneIsRead() {
        var script = ConnectionScript()
        script.open()
        script.client("GET /one HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\nbegin")
        script.lost(1460, .server)
        script.server("a piece of the middle")
        script.client("GET /two HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/one", "/two"])
        #expect(exchanges.first?.failure == "1460 bytes of the server are not in the capture")
        #expect(exchanges.first?.response?.body?.text == "begin")
        #expect(exchanges.first?.response?.body?.isTruncated == true)
        #expect(exchanges.last?.response?.body?.text == "ok")
        #expect(exchanges.last?.failure == nil)
    }

    @Test func connectionWithoutItsBeginningIsReadFromTheFirstRequestOn() {
        var script = ConnectionScript()
        script.open(beganMidStream: true)
        script.server("the end of an answer")
        script.client("the end of a form")
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        script.client("GET /next HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/next"])
        #expect(exchanges.first?.malformations.isEmpty == true)
    }

    // MARK: - Answers before the end of the request

    private static let post = "POST /token HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\nabc"

    @Test func requestThatIsAnsweredEarlyHasItsWholeBody() {
        var script = ConnectionScript()
        for _ in 0..<2 {
            script.open()
            script.client(Self.post)
            script.server(String(ConnectionScript.answer.prefix(20)))
            script.server(String(ConnectionScript.answer.dropFirst(20)))
            script.client("defghij")
            script.client("GET /next HTTP/1.1\r\nHost: a.example\r\n\r\n")
            script.server(ConnectionScript.answer)
            script.close()
        }
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/token", "/next", "/token", "/next"])
        #expect(exchanges.map { $0.response?.body?.text } == ["ok", "ok", "ok", "ok"])
        #expect(exchanges.map { $0.request.body?.text } == ["abcdefghij", nil, "abcdefghij", nil])
        #expect(exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
        #expect(exchanges.first?.request.body?.isTruncated == false)
    }

    @Test(arguments: [Side.client, .server]) func answerIsKeptWhereTheRestOfItsRequestNeverComes(side: Side) {
        var script = ConnectionScript()
        script.open()
        script.client(Self.post)
        script.server(ConnectionScript.answer)
        script.close(by: side)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map { $0.response?.body?.text } == ["ok"])
        #expect(exchanges.map { $0.request.body?.text } == ["abc"])
        #expect(exchanges.first?.failure == nil && exchanges.first?.request.body?.isTruncated == true)
    }

    @Test func earlyAnswerWaitsForBytesThatAreNotInTheCapture() {
        var script = ConnectionScript()
        script.open()
        script.client(Self.post)
        script.server(ConnectionScript.answer)
        script.lost(7, .client)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map { $0.response?.status } == [200])
        #expect(exchanges.first?.request.body?.wireSize == 10)
    }

    /// As those do that take no head of that size.
    @Test func headThatIsAnsweredBeforeItIsWholeHasItsAnswer() {
        var script = ConnectionScript()
        script.open()
        script.client("GET /long HTTP/1.1\r\nHost: a.example\r\nCookie: a=")
        script.server(ConnectionScript.answer)
        script.client("b\r\n\r\n")
        script.client("GET /next HTTP/1.1\r\nHost: a.example\r\n\r\nGET /cut HTTP/1.1\r\nHost")
        script.server(ConnectionScript.answer)
        script.client(": a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/long", "/next", "/cut"])
        #expect(exchanges.map { $0.response?.body?.text } == ["ok", "ok", "ok"])
        #expect(exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
    }

    /// Somebody who answers without end while he is asked.
    @Test func longAnswerDoesNotWait() {
        var script = ConnectionScript()
        script.open()
        script.client(Self.post)
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n")
        for _ in 0..<300 { script.server(String(repeating: "x", count: 1000)) }
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map { $0.response?.body?.wireSize } == [300_000])
        #expect(exchanges.first?.request.body?.text == "abc")
    }

    /// IRC, SIP, RTSP, ICAP, Redis: a word in capitals and a blank begin many protocols.
    @Test(arguments: [
        ("NICK me\r\nUSER me 0 * :Me\r\n", false), ("INVITE sip:bob@b.example SIP/2.0\r\nVia: a\r\n", false),
        ("DESCRIBE rtsp://c.example/cam RTSP/1.0\r\n", false),
        ("REQMOD icap://i.example/s ICAP/1.0\r\n", false),
        ("PING x and so on and so on and so on\r\n", false),
        ("GET key\r\nGET other\r\nGET a third one\r\n", false),
        ("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n", true),
        ("GET HTTP://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n", true),
        ("OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n", true),
        ("GET a HTTP/1.1\r\nHost: a.example\r\n\r\n", true),
    ])
    func whatIsAskedForTellsHTTPFromOthers(text: String, isHTTP: Bool) {
        // In one piece, and as slowly as it comes.
        for pieces in [[text], text.map(String.init)] {
            var script = ConnectionScript()
            script.open(port: 6667)
            for piece in pieces { script.client(piece) }
            script.close()
            #expect(script.exchanges.takeFinished().isEmpty == !isHTTP, "\(pieces.count)")
            #expect(script.exchanges.report.counts.otherConnections == (isHTTP ? 0 : 1))
        }
    }

    @Test func otherProtocolsAreCountedAndNoEntries() {
        var script = ConnectionScript()
        script.open(port: 22)
        script.server("SSH-2.0-OpenSSH\r\n")
        script.client("SSH-2.0-OpenSSH\r\n")
        script.close()
        script.open(port: 5432)
        script.client("\u{0}\u{0}\u{0}\u{8}")
        script.close()
        #expect(script.exchanges.takeFinished().isEmpty)
        #expect(script.exchanges.report.counts.otherConnections == 2)
        #expect(script.exchanges.report.counts.connections == 2)
    }

    /// A server that says so before it closes is asked for nothing, and has answered nothing.
    @Test(arguments: [
        ("408 Request Timeout", []), ("400 Bad request", []), ("200 OK", ["an answer without a request"]),
    ])
    func aServerOfHTTPMaySpeakFirst(status: String, failures: [String]) {
        let answer = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        // In one piece, and as slowly as it comes.
        for pieces in [[answer], answer.utf8.map { String(UnicodeScalar($0)) }] {
            var script = ConnectionScript()
            script.open()
            for piece in pieces { script.server(piece) }
            script.close()
            let found = script.exchanges.takeFinished().map { $0.failure ?? "none" }
            #expect(found.count == failures.count)
            #expect(zip(found, failures).allSatisfy { $0.contains($1) })
            #expect(script.exchanges.report.counts.otherConnections == 0, "\(pieces.count)")
            #expect(script.exchanges.report.losses.isEmpty)
        }
    }

    // MARK: - What is missing

    /// Settings, and the answer to a request on stream 1: `:status 200`, a body.
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    private static let ok: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88, 0, 0, 2, 0, 1, 0, 0, 0, 1, 0x6f, 0x6b]
    /// `GET http://op.example/`.
    private static let get: [UInt8] =
        [0, 0, 15, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84, 0x41, 10] + Array("op.example".utf8)
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    @Test(arguments: [9, 1, 4]) func aServerOfHTTP2MaySpeakFirst(inPiecesOf size: Int) {
        var script = ConnectionScript()
        script.open()
        for start in stride(from: 0, to: Self.settings.count, by: size) {
            script.send(Array(Self.settings[start...].prefix(size)), .server)
        }
        script.send(Self.preface + Self.settings + Self.get, .client)
        script.send(Self.ok, .server)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.text) == ["http://op.example/"])
        #expect(exchanges.first?.response?.body?.text == "ok")
        #expect(script.exchanges.report.counts.otherConnections == 0)
    }

    @Test func aClientOfHTTP2WhoseBeginningIsMissingIsReadFromThereOn() {
        var script = ConnectionScript()
        script.open()
        script.lost(33, .client)
        script.send(Self.settings, .server)
        script.send(Self.get, .client)
        script.send(Self.ok, .server)
        script.close()
        #expect(script.exchanges.takeFinished().map(\.request.url.text) == ["http://op.example/"])
        #expect(
            script.exchanges.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:80: 33 bytes are not in the capture"
            ]
        )
    }

    @Test func anAnswerWhoseRequestIsMissingIsNoFault() {
        var script = ConnectionScript()
        script.open()
        script.client("GET /one HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        for _ in 0..<2 {
            script.lost(40, .client)
            script.server(ConnectionScript.answer)
        }
        script.client("GET /three HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/one", "/three"])
        #expect(exchanges.allSatisfy { $0.malformations.isEmpty && $0.failure == nil })
        #expect(
            script.exchanges.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:80: 80 bytes are not in the capture; with them the requests of"
                    + " 2 answers are not known"
            ]
        )
    }

    /// It has half of its fields only; what it asked for is known all the same.
    @Test func aRequestWhoseHeadHasAHoleIsTold() {
        var script = ConnectionScript()
        script.open()
        script.client("GET /callback?code=a HTTP/1.1\r\nHost: a.example\r\nCookie: a=")
        script.lost(40, .client)
        script.server(ConnectionScript.answer)
        script.client("GET /two HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        #expect(script.exchanges.takeFinished().map(\.request.url.path) == ["/two"])
        #expect(
            script.exchanges.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:80: 40 bytes are not in the capture, some of a request's head,"
                    + " which is no entry (GET /callback)"
            ]
        )
    }

    @Test func tlsThatBeginsInTheMiddleOfARecordIsAnEntry() {
        var script = ConnectionScript()
        script.open(port: 443, beganMidStream: true)
        script.send([9, 9, 9], .server)
        script.send([0x17, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40), .server)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.tunnel.reason) == [.notWhole])
        #expect(
            script.exchanges.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:443: the client's hello is not in the capture"
            ]
        )
        // No key log would help.
        #expect(script.exchanges.report.counts.keylessConnections == 0)
    }

    @Test func connectionsThatBeganBeforeTheCaptureAreCounted() {
        var script = ConnectionScript()
        script.open(beganMidStream: true)
        script.server("the end of an answer")
        script.close()
        script.open(beganMidStream: true)
        script.client("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        #expect(script.exchanges.takeFinished().count == 1)
        #expect(script.exchanges.report.counts.lateConnections == 1)
    }
}
