import Captures
import Packets
import Testing
import Wire

/// Connections in clear, told to ``PacketExchanges`` as a reassembler tells them.
struct PacketExchangesTests {
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// One connection after the other, a packet each millisecond.
    private struct Script {
        var exchanges = PacketExchanges(maximumBodyBytes: 1 << 20, budget: RecordingBudget(bytes: 1 << 30))
        var now = PacketExchangesTests.start
        var stream = 0

        mutating func tick() { now = now + .milliseconds(1) }

        mutating func open(port: UInt16 = 80, beganMidStream: Bool = false) {
            let facts = TCPStreamFacts(
                client: Endpoint(address: [10, 0, 0, 1], port: 50_000),
                server: Endpoint(address: [10, 0, 0, 2], port: port),
                startedAt: now,
                beganMidStream: beganMidStream
            )
            exchanges.opened(stream, facts)
            tick()
            if !beganMidStream { exchanges.established(stream, at: now) }
            tick()
        }

        mutating func client(_ text: String) { send(Array(text.utf8), .client) }
        mutating func server(_ text: String) { send(Array(text.utf8), .server) }

        mutating func send(_ bytes: [UInt8], _ side: Side) {
            bytes.withUnsafeBytes { exchanges.received($0, of: stream, from: side, at: now) }
            tick()
        }

        mutating func lost(_ count: Int, _ side: Side) {
            exchanges.lost(count, of: stream, from: side, at: now)
            tick()
        }

        mutating func close(_ end: TCPStreamEnd = .finished, by side: Side = .server) {
            exchanges.ended(side, of: stream, end, at: now)
            exchanges.closed(stream, at: now)
            stream += 1
        }
    }

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func requestInClearIsAnExchangeWithItsTimesAndEnds() throws {
        var script = Script()
        script.open()
        script.client("GET /authorize?state=1 HTTP/1.1\r\nHost: op.example\r\n\r\n")
        script.server(Self.answer)
        let exchange = try #require(script.exchanges.takeFinished().first)
        #expect(exchange.request.url.text == "http://op.example/authorize?state=1")
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.body?.text == "ok")
        #expect(exchange.startedAt == Self.start + .milliseconds(2))
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
        var script = Script()
        script.open(port: 443)
        script.client("GET / HTTP/1.1\r\nHo")
        script.client("st: \(host)\r\n\r\n")
        script.server(Self.answer)
        script.close()
        #expect(script.exchanges.takeFinished().map(\.request.url.text) == [url])
    }

    /// RFC 9112, section 2.2.
    @Test(arguments: ["\r\n", "\r\n\r\n", "\n"]) func emptyLinesBeforeARequestArePassedOver(lines: String) {
        var script = Script()
        script.open()
        script.client(lines)
        script.client("POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 0\r\n\r\n")
        script.server(Self.answer)
        script.close()
        #expect(script.exchanges.takeFinished().map { $0.request.url.path } == ["/token"])
    }

    @Test func requestThatComesByteByByteIsTheSame() {
        var script = Script()
        script.open()
        for byte in "POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 3\r\n\r\na=b".utf8 {
            script.send([byte], .client)
        }
        for byte in Self.answer.utf8 { script.send([byte], .server) }
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.text) == ["http://op.example/token"])
        #expect(exchanges.first?.request.body?.text == "a=b")
    }

    @Test func whatIsInATunnelIsTakenOutOfIt() {
        var script = Script()
        script.open(port: 8080)
        script.client("CONNECT op.example:8443 HTTP/1.1\r\nHost: op.example:8443\r\n\r\n")
        script.server("HTTP/1.1 200 Connection established\r\n\r\n")
        script.client("GET /jwks HTTP/1.1\r\nX: 1\r\n\r\n")
        script.server(Self.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.method) == ["GET"])
        #expect(exchanges.map(\.request.url.text) == ["http://op.example:8443/jwks"])
        // Whom the proxy asked is not to be seen.
        #expect(exchanges.first?.connection.serverAddress == nil)
    }

    @Test func serverThatSpeaksFirstInTheTunnelIsNotLost() {
        var script = Script()
        script.open(port: 8080)
        script.client("CONNECT mail.example:25 HTTP/1.1\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\n\r\n220 mail.example ESMTP\r\n")
        script.close()
        #expect(script.exchanges.takeFinished().isEmpty)
        #expect(script.exchanges.report.counts.otherConnections == 1)
    }

    @Test func refusedTunnelIsAnExchangeOfItsOwnAndTheNextOneIsRead() {
        var script = Script()
        script.open(port: 8080)
        script.client("CONNECT op.example:443 HTTP/1.1\r\n\r\n")
        script.server("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        script.client("CONNECT op.example:443 HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\n\r\n")
        script.client("GET / HTTP/1.1\r\n\r\n")
        script.server(Self.answer)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map { $0.response?.status } == [407, 200])
        #expect(exchanges.map(\.request.method) == ["CONNECT", "GET"])
    }

    @Test func lostBytesOfABodyOfKnownLengthTruncateIt() {
        var script = Script()
        script.open()
        script.client("GET /one HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 1480\r\n\r\nbegin")
        script.lost(1460, .server)
        script.server("behind the gap!")
        script.client("GET /two HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(Self.answer)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/one", "/two"])
        #expect(exchanges.first?.failure == nil)
        #expect(exchanges.first?.response?.body?.text == "begin")
        #expect(exchanges.first?.response?.body?.isTruncated == true)
        #expect(exchanges.first?.response?.body?.wireSize == 1480)
    }

    @Test func lostBytesFailTheExchangeUnderWayAndTheNextOneIsRead() {
        var script = Script()
        script.open()
        script.client("GET /one HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\nbegin")
        script.lost(1460, .server)
        script.server("a piece of the middle")
        script.client("GET /two HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(Self.answer)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/one", "/two"])
        #expect(exchanges.first?.failure == "1460 bytes of the server are not in the capture")
        #expect(exchanges.first?.response?.body?.text == "begin")
        #expect(exchanges.first?.response?.body?.isTruncated == true)
        #expect(exchanges.last?.response?.body?.text == "ok")
        #expect(exchanges.last?.failure == nil)
    }

    @Test func connectionWithoutItsBeginningIsReadFromTheFirstRequestOn() {
        var script = Script()
        script.open(beganMidStream: true)
        script.server("the end of an answer")
        script.client("the end of a form")
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        script.client("GET /next HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(Self.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/next"])
        #expect(exchanges.first?.malformations.isEmpty == true)
    }

    @Test(arguments: [
        (TCPStreamEnd.reset(by: .server), Side.client, "connection reset by the server"),
        (.reset(by: .server), .server, "connection reset by the server"),
        (.reset(by: .client), .server, "the client reset the connection"),
        (.captureEnded, .server, "the capture ends before the answer was complete"),
    ])
    func answerThatBreaksOffSaysWhy(end: TCPStreamEnd, side: Side, words: String) {
        var script = Script()
        script.open()
        script.client("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nbegin")
        script.close(end, by: side)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.failure) == [words])
    }

    // MARK: - Answers before the end of the request

    private static let post = "POST /token HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\nabc"

    @Test func requestThatIsAnsweredEarlyHasItsWholeBody() {
        var script = Script()
        for _ in 0..<2 {
            script.open()
            script.client(Self.post)
            script.server(String(Self.answer.prefix(20)))
            script.server(String(Self.answer.dropFirst(20)))
            script.client("defghij")
            script.client("GET /next HTTP/1.1\r\nHost: a.example\r\n\r\n")
            script.server(Self.answer)
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
        var script = Script()
        script.open()
        script.client(Self.post)
        script.server(Self.answer)
        script.close(by: side)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map { $0.response?.body?.text } == ["ok"])
        #expect(exchanges.map { $0.request.body?.text } == ["abc"])
        #expect(exchanges.first?.failure == nil && exchanges.first?.request.body?.isTruncated == true)
    }

    @Test func earlyAnswerWaitsForBytesThatAreNotInTheCapture() {
        var script = Script()
        script.open()
        script.client(Self.post)
        script.server(Self.answer)
        script.lost(7, .client)
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map { $0.response?.status } == [200])
        #expect(exchanges.first?.request.body?.wireSize == 10)
    }

    /// As those do that take no head of that size.
    @Test func headThatIsAnsweredBeforeItIsWholeHasItsAnswer() {
        var script = Script()
        script.open()
        script.client("GET /long HTTP/1.1\r\nHost: a.example\r\nCookie: a=")
        script.server(Self.answer)
        script.client("b\r\n\r\n")
        script.client("GET /next HTTP/1.1\r\nHost: a.example\r\n\r\nGET /cut HTTP/1.1\r\nHost")
        script.server(Self.answer)
        script.client(": a.example\r\n\r\n")
        script.server(Self.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/long", "/next", "/cut"])
        #expect(exchanges.map { $0.response?.body?.text } == ["ok", "ok", "ok"])
        #expect(exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
    }

    /// Somebody who answers without end while he is asked.
    @Test func longAnswerDoesNotWait() {
        var script = Script()
        script.open()
        script.client(Self.post)
        script.server("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n")
        for _ in 0..<300 { script.server(String(repeating: "x", count: 1000)) }
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map { $0.response?.body?.wireSize } == [300_000])
        #expect(exchanges.first?.request.body?.text == "abc")
    }

    @Test func refusedConnectionIsAnEntryWhereItWasForTheWeb() {
        var script = Script()
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
        var script = Script()
        script.open(port: 6379)
        script.close(.reset(by: .server))
        script.open(port: 6379)
        script.client(words)
        script.server(Self.answer)
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
        var script = Script()
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
        var script = Script()
        for host in hosts {
            script.open(port: 80)
            script.client("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            script.server(Self.answer)
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
        var script = Script()
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
        var script = Script()
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
            var script = Script()
            script.open(port: 6667)
            for piece in pieces { script.client(piece) }
            script.close()
            #expect(script.exchanges.takeFinished().isEmpty == !isHTTP, "\(pieces.count)")
            #expect(script.exchanges.report.counts.otherConnections == (isHTTP ? 0 : 1))
        }
    }

    @Test func otherProtocolsAreCountedAndNoEntries() {
        var script = Script()
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
            var script = Script()
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

    /// Clear text on a port of TLS: some answer it with an alert, others in clear as well.
    @Test(arguments: [7, 1, 5]) func anAlertOfTLSAnswersNoRequestInClear(inPiecesOf size: Int) {
        var script = Script()
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
        var script = Script()
        script.open(port: 8443)
        script.client("GET /authorize HTTP/1.1\r\nHost: op.example:8443\r\n\r\n")
        script.send([0x15, 3, 3], .server)
        script.exchanges.ended(.client, of: script.stream, .reset(by: .server), at: script.now)
        script.close(.reset(by: .server))
        #expect(script.exchanges.takeFinished().map(\.request.method) == ["GET"])
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
        var script = Script()
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
        var script = Script()
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

    /// What is inside of a tunnel is a connection of its own, which is not taken out of HTTP/2.
    @Test func aTunnelWithinHTTP2IsTold() {
        var script = Script()
        script.open()
        let fields = [0x02, 7] + Array("CONNECT".utf8) + [0x01, 14] + Array("op.example:443".utf8)
        let connect = [0, 0, UInt8(fields.count), 1, 4, 0, 0, 0, 1] + fields
        script.send(Self.preface + Self.settings + connect, .client)
        script.send(Self.settings + [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88], .server)
        script.close()
        #expect(script.exchanges.takeFinished().map(\.upgradedTo) == ["tunnel"])
        #expect(
            script.exchanges.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:80: what goes through a tunnel in it (CONNECT) is not read"
            ]
        )
    }

    @Test func anAnswerWhoseRequestIsMissingIsNoFault() {
        var script = Script()
        script.open()
        script.client("GET /one HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(Self.answer)
        script.lost(40, .client)
        script.server(Self.answer)
        script.client("GET /three HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(Self.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/one", "/three"])
        #expect(exchanges.allSatisfy { $0.malformations.isEmpty && $0.failure == nil })
    }

    @Test func tlsThatBeginsInTheMiddleOfARecordIsAnEntry() {
        var script = Script()
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
        var script = Script()
        script.open(beganMidStream: true)
        script.server("the end of an answer")
        script.close()
        script.open(beganMidStream: true)
        script.client("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(Self.answer)
        script.close()
        #expect(script.exchanges.takeFinished().count == 1)
        #expect(script.exchanges.report.counts.lateConnections == 1)
    }
}
