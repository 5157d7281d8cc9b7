import NIOCore
import Testing

@testable import Proxy

struct ConnectStateMachineTests {
    private func machine(_ limit: Int = 1024) -> ConnectStateMachine {
        ConnectStateMachine(maximumHeadBytes: limit, isOwn: { $0.host == "authreel.proxy" })
    }

    private func origin(_ text: String) throws -> Origin {
        try #require(Origin(authority: text, defaultPort: nil))
    }

    @Test func connectIsATunnelAndWhatFollowsIsKept() throws {
        var machine = machine()
        let action = machine.received(
            Array("CONNECT Login.Example:443 HTTP/1.1\r\nHost: x\r\n\r\n\u{16}\u{3}".utf8)
        )
        #expect(action == .tunnel(try origin("login.example:443"), rest: [0x16, 3]))
    }

    @Test func headIsTheSameHoweverItIsSplit() throws {
        let bytes = Array("\r\nCONNECT [::1]:8443 HTTP/1.1\r\nA: b\r\n\r\n".utf8)
        let wanted = ConnectStateMachine.Action.tunnel(try origin("[::1]:8443"), rest: [])
        for split in 0...bytes.count {
            var machine = machine()
            let first = machine.received(bytes[..<split])
            let second = machine.received(bytes[split...])
            #expect([first, second].contains(wanted), "split at \(split)")
        }
        var single = machine()
        let actions = bytes.map { single.received([$0]) }
        #expect(actions.last == wanted)
        #expect(actions.dropLast().allSatisfy { $0 == .waitForMoreBytes })
    }

    @Test func bareLineFeedsEndAHeadToo() throws {
        var machine = machine()
        #expect(
            machine.received(Array("CONNECT a:1 HTTP/1.0\n\n".utf8)) == .tunnel(try origin("a:1"), rest: [])
        )
    }

    /// A wrong scheme in the setting of the proxy is what a client cannot tell its user.
    @Test(arguments: [
        ([0x16, 3, 1, 2, 0], "TLS is spoken to the proxy itself"), ([5, 1, 0], "SOCKS is spoken"),
        ([4, 1, 1, 0xbb], "SOCKS is spoken"), ([0x80, 0x2e], "not a request of HTTP/1"),
    ])
    func otherProtocolIsNamed(bytes: [UInt8], words: String) {
        var machine = machine()
        guard case .respond(let refusal) = machine.received(bytes.prefix(1)) else {
            Issue.record("what is no method is waited for")
            return
        }
        #expect(refusal.status == 400 && refusal.reason.hasPrefix(words))
    }

    @Test func absoluteFormKeepsAllBytes() {
        var machine = machine()
        let bytes = Array("GET http://a.example/x HTTP/1.1\r\n\r\nmore".utf8)
        #expect(machine.received(bytes) == .forward(bytes: bytes))
    }

    @Test func requestsForTheProxyAreServed() {
        var direct = machine()
        #expect(
            direct.received(Array("GET /ca.pem HTTP/1.1\r\nUSER-agent:  a b \r\n\r\n".utf8))
                == .serve(OwnRequest(method: "GET", path: "/ca.pem", userAgent: "a b", way: .direct))
        )
        var named = machine()
        let bytes = Array("HEAD http://authreel.proxy HTTP/1.1\r\n\r\n".utf8)
        #expect(named.received(bytes) == .serve(OwnRequest(method: "HEAD", path: "/", way: .proxied)))
    }

    @Test func tunnelToTheProxyIsServedAndWhatFollowsIsKept() throws {
        let bytes = Array("CONNECT authreel.proxy:443 HTTP/1.1\r\n\r\n\u{16}".utf8)
        let wanted = ConnectStateMachine.Action.serveTunnel(try origin("authreel.proxy:443"), rest: [0x16])
        var whole = machine()
        #expect(whole.received(bytes) == wanted)
        var single = machine()
        let actions = bytes.dropLast().map { single.received([$0]) }
        #expect(actions.last == .serveTunnel(try origin("authreel.proxy:443"), rest: []))
        #expect(actions.dropLast().allSatisfy { $0 == .waitForMoreBytes })
    }

    static let refused: [(bytes: String, status: Int)] = [
        ("CONNECT a HTTP/1.1\r\n\r\n", 400),
        ("CONNECT a:0 HTTP/1.1\r\n\r\n", 400),
        ("CONNECT a:65536 HTTP/1.1\r\n\r\n", 400),
        ("CONNECT a:99999999999999999999 HTTP/1.1\r\n\r\n", 400),
        ("CONNECT :443 HTTP/1.1\r\n\r\n", 400),
        ("CONNECT [::1:443 HTTP/1.1\r\n\r\n", 400),
        ("CONNECT a\u{e9}:443 HTTP/1.1\r\n\r\n", 400),
        ("GET http:///x HTTP/1.1\r\n\r\n", 400),
        ("GET ftp://a.example/ HTTP/1.1\r\n\r\n", 501),
        ("GET  / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\n\r\n", 400),
        ("GET / FTP/1.1\r\n\r\n", 400),
        (" GET", 400),
        ("\u{16}", 400),
        ("POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("POST http://a/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST http://a/ HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 2000), 431),
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 2000) + "\r\n\r\n", 431),
        (String(repeating: "X", count: 2000), 431),
    ]

    @Test(arguments: refused.indices)
    func badHeadIsRefused(_ index: Int) {
        let row = Self.refused[index]
        var machine = machine()
        guard case .respond(let refusal) = machine.received(Array(row.bytes.utf8)) else {
            Issue.record("\(row.bytes.prefix(60)) was not refused")
            return
        }
        #expect(refusal.status == row.status, "\(row.bytes.prefix(60))")
    }

    @Test func nothingIsDecidedTwice() {
        var machine = machine()
        #expect(
            machine.timedOut() == .respond(.init(status: 408, reason: "no complete request arrived in time"))
        )
        #expect(machine.timedOut() == nil)
        #expect(machine.received(Array("CONNECT a:1 HTTP/1.1\r\n\r\n".utf8)) == .waitForMoreBytes)
    }
}

struct ProxyRequestTests {
    private func rewritten(_ head: String) throws -> String {
        String(decoding: try ProxyRequest.parse(Array(head.utf8)).rewritten, as: UTF8.self)
    }

    /// The server itself is meant by the one, and its page by the other (RFC 9112, section 3.2.4).
    @Test(arguments: [
        ("OPTIONS http://a.example", "OPTIONS *"), ("OPTIONS http://a.example/", "OPTIONS /"),
        ("OPTIONS http://a.example?q=1", "OPTIONS /?q=1"), ("GET http://a.example", "GET /"),
        ("OPTIONS https://a.example", "OPTIONS *"), ("GET https://a.example", "GET /"),
    ]) func optionsOfAServerAreForNoPage(line: String, wanted: String) throws {
        #expect(try rewritten("\(line) HTTP/1.1\r\n\r\n").hasPrefix("\(wanted) HTTP/1.1\r\n"))
    }

    @Test(arguments: [
        ("http://a.example/x", "a.example:80", false), ("https://a.example?x", "a.example:443", true),
        ("HTTPS://a.example:8443/", "a.example:8443", true), ("http://[::1]:443", "[::1]:443", false),
    ])
    func urlSaysWhereARequestGoesAndWhetherInTLS(url: String, server: String, isSecure: Bool) throws {
        let request = try ProxyRequest.parse(Array("GET \(url) HTTP/1.1\r\n\r\n".utf8))
        let origin = try #require(Origin(authority: server, defaultPort: nil))
        #expect(request.target == .absolute(origin) && request.isSecure == isSecure)
    }

    @Test func requestLineIsRewrittenAndFieldsForProxiesGo() throws {
        #expect(
            try rewritten(
                "GET HTTP://u:p@A.example:8080?q=%2F HTTP/1.1\r\nPROXY-connection: x\r\nB:c\r\n\r\n"
            )
                == "GET /?q=%2F HTTP/1.1\r\nB:c\r\n\r\n"
        )
        #expect(
            try rewritten("GET http://a/b HTTP/1.0\r\nProxy-Authorization: z\r\nX: y\r\n\r\n")
                == "GET /b HTTP/1.0\r\nX: y\r\n\r\n"
        )
    }

    @Test func whatCouldBeReadInTwoWaysIsNotRewritten() {
        let heads = [
            "X: 1\n\r\n": "a line that ends in LF alone",
            "X: 1\r\n 2\r\n\r\n": "a field that is folded over lines",
            "X : 1\r\n\r\n": "a field name with characters that are not allowed",
            ": 1\r\n\r\n": "a field line without a name",
            "X: 1\r2\r\n\r\n": "NUL or CR within a line",
            "Content-Length: 3\r\ntransfer-encoding: chunked\r\n\r\n":
                "both Transfer-Encoding and Content-Length",
            "Transfer-Encoding: chunked, identity\r\n\r\n":
                "Transfer-Encoding of a request does not end in chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n":
                "chunked more than once in Transfer-Encoding",
        ]
        for (fields, reason) in heads {
            #expect(
                throws: ProxyRequest.Refusal(status: 400, reason: "\(reason): it could be read in two ways")
            ) {
                try rewritten("POST http://a/ HTTP/1.1\r\n" + fields)
            }
        }
        #expect(throws: Never.self) {
            try rewritten(
                "POST http://a/ HTTP/1.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
        }
    }

    private static let noChunks = "Transfer-Encoding of a request does not end in chunked"
    private static let noList = "Transfer-Encoding is no plain list of codings"

    /// One reading: what is sent on as it came goes by what the recorder reads, what is targeted anew is plain to every server.
    @Test(
        arguments: [
            ("chunked", nil, nil), (" gzip ,\tChunked ", nil, nil), ("xgzip, chunked", nil, nil),
            ("chunked,", nil, noList), (",chunked", nil, noList), ("chun ked, chunked", nil, noList),
            ("gzip;q=1, chunked", nil, noList), ("\u{b}chunked, chunked", nil, noList),
            ("a=\",chunked", nil, noList), ("chun ked", noChunks, noChunks), ("xchunked", noChunks, noChunks),
            ("chunked;q=1", noChunks, noChunks), ("\u{b}chunked", noChunks, noChunks),
            ("chun\u{212a}ed", noChunks, noChunks), ("chunked, gzip", noChunks, noChunks),
            ("", noChunks, noChunks), ("chunked\r", noChunks, "NUL or CR within a line"),
        ] as [(String, String?, String?)]
    )
    func transferCodingsAreReadInOneWay(coding: String, asItCame: String?, anew: String?) {
        func read(_ head: String, _ parse: ([UInt8]) throws(ProxyRequest.Refusal) -> ProxyRequest) -> String?
        {
            do throws(ProxyRequest.Refusal) {
                let request = try parse(Array("\(head)\r\nTransfer-Encoding: \(coding)\r\n\r\n".utf8))
                #expect(request.framing == .chunked)
                return nil
            } catch {
                #expect(error.status == 400)
                return error.reason
            }
        }
        #expect(read("POST / HTTP/1.1", ProxyRequest.parseForServer) == asItCame)
        #expect(
            read("POST http://a/ HTTP/1.1", ProxyRequest.parse)
                == anew.map { "\($0): it could be read in two ways" }
        )
    }

    @Test(arguments: [
        ("wss://app.example/live", 400, "wss goes through a proxy by CONNECT"),
        ("https://", 400, "the URL has no usable host and port"),
        ("http://", 400, "the URL has no usable host and port"),
        ("ftp://files.example/a", 501, "only http, https and what they carry go through this proxy"),
    ])
    func urlOfAnotherSchemeIsRefusedAndNotTakenForAPageOfOurs(target: String, status: Int, reason: String) {
        #expect(throws: ProxyRequest.Refusal(status: status, reason: reason)) {
            try ProxyRequest.parse(Array("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        }
    }

    @Test func fieldsThatOnlyBeginAlikeStay() throws {
        let head = "GET http://a/ HTTP/1.1\r\nProxy-Connection-Id: 1\r\n\r\n"
        #expect(try rewritten(head) == "GET / HTTP/1.1\r\nProxy-Connection-Id: 1\r\n\r\n")
    }
}

struct RequestSplitterTests {
    private static let stream = """
        POST http://a.example/1 HTTP/1.1\r
        Transfer-Encoding: chunked\r
        \r
        3;x="\r
        abc\r
        00a\r
        0123456789\r
        0\r
        Trailer: x\r
        \r
        \r
        POST http://b.example/2 HTTP/1.1\r
        Content-Length: 5\r
        \r
        helloGET http://c.example/3 HTTP/1.1\r
        \r

        """

    /// The pieces as text, bodies joined.
    private func pieces(_ chunks: [ArraySlice<UInt8>], mayLackBody: Bool = false) -> [String] {
        var splitter = RequestSplitter(maximumHeadBytes: 4096)
        var found: [String] = []
        for chunk in chunks {
            splitter.received(ByteBuffer(bytes: chunk))
            while let piece = splitter.next(mayLackBody: mayLackBody) {
                switch piece {
                case .head(let request): found += [request.path, ""]
                case .body(let bytes):
                    found[found.count - 1] += String(decoding: bytes.readableBytesView, as: UTF8.self)
                case .end: found.append("end")
                case .refused(let refusal): found.append("refused \(refusal.status)")
                }
            }
        }
        return found
    }

    @Test func requestsAreTheSameHoweverTheyAreSplit() {
        let bytes = Array(Self.stream.utf8)
        let wanted = [
            "/1", "3;x=\"\r\nabc\r\n00a\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", "end", "/2", "hello",
            "end", "/3", "",
            "end",
        ]
        #expect(pieces([bytes[...]]) == wanted)
        #expect(pieces(bytes.indices.map { bytes[$0...$0] }) == wanted)
        for split in bytes.indices {
            #expect(pieces([bytes[..<split], bytes[split...]]) == wanted, "split at \(split)")
        }
    }

    /// A client that was answered before it was told to go on.
    @Test(arguments: [
        ("GET http://a/2 HTTP/1.1\r\n\r\n", true, ["end", "/2", "", "end"]),
        ("code=a&b=c", true, ["code=a&b=c", "end"]), ("GET / to x", true, ["GET / to x", "end"]),
        ("GET / HTTP", false, ["GET / HTTP", "end"]),
        // A word in capitals, and the next request behind it.
        ("ABCDEFGHIJGET http://a/2 HTTP/1.1\r\n\r\n", true, ["ABCDEFGHIJ", "end", "/2", "", "end"]),
    ])
    func nextRequestMayStandInThePlaceOfABodyThatIsHeldBack(
        _ row: (rest: String, mayLackBody: Bool, wanted: [String])
    ) {
        let head = "POST http://a/1 HTTP/1.1\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n"
        let wanted = ["/1"] + (row.wanted[0] == "end" ? [""] : []) + row.wanted
        let bytes = Array((head + row.rest).utf8)
        for split in bytes.indices {
            let chunks = [bytes[..<split], bytes[split...]]
            #expect(pieces(chunks, mayLackBody: row.mayLackBody) == wanted, "split at \(split)")
        }
        #expect(pieces(bytes.indices.map { bytes[$0...$0] }, mayLackBody: row.mayLackBody) == wanted)
    }

    /// Who waits to be told to go on with no body does not wait.
    @Test func requestBehindOneThatIsWholeIsNoBody() {
        let text =
            "GET http://a/1 HTTP/1.1\r\nExpect: 100-continue\r\n\r\n"
            + "POST http://a/2 HTTP/1.1\r\nContent-Length: 10\r\n\r\nGET / HTTP"
        #expect(
            pieces([Array(text.utf8)[...]], mayLackBody: true) == [
                "/1", "", "end", "/2", "GET / HTTP", "end",
            ]
        )
    }

    @Test(arguments: ["xyz\r\n", "-1\r\n", "\r\n", "ffffffffffffffffff\r\n", "3\r\nabcd\r\n"])
    func brokenChunksPassAsTheyAre(_ body: String) {
        let head = "POST http://a/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        let rest = "GET http://b/ HTTP/1.1\r\n\r\n"
        #expect(pieces([Array((head + body + rest).utf8)[...]]) == ["/", body + rest])
    }
}
