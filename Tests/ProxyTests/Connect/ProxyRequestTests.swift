import NIOCore
import Testing

@testable import Proxy

struct ProxyRequestTests {
    private func rewritten(_ head: String) throws -> String {
        String(decoding: try ProxyRequest.parse(Array(head.utf8)).rewritten, as: UTF8.self)
    }

    /// The server itself is meant by the one, and its page by the other (RFC 9112, section 3.2.4).
    @Test(arguments: [
        ("OPTIONS http://a.example", "OPTIONS *"), ("OPTIONS http://a.example/", "OPTIONS /"),
        ("OPTIONS http://a.example?q=1", "OPTIONS /?q=1"), ("GET http://a.example", "GET /"),
        ("OPTIONS http://a.example#a", "OPTIONS *"),
        ("OPTIONS https://a.example", "OPTIONS *"), ("GET https://a.example", "GET /"),
    ]) func optionsOfAServerAreForNoPage(line: String, wanted: String) throws {
        #expect(try rewritten("\(line) HTTP/1.1\r\n\r\n").hasPrefix("\(wanted) HTTP/1.1\r\n"))
    }

    @Test(arguments: [
        ("http://a.example/x", "a.example:80", false), ("https://a.example?x", "a.example:443", true),
        ("HTTPS://a.example:8443/", "a.example:8443", true), ("http://[::1]:443", "[::1]:443", false),
        ("http://a.example:/", "a.example:80", false), ("https://[::1]:/", "[::1]:443", true),
        // The authority ends at whatever comes first (RFC 3986, section 3.2).
        ("http://a.example#@b.example/", "a.example:80", false),
        ("http://a.example?@b.example/", "a.example:80", false),
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
        ("http://[::1]x/", 400, "the URL has no usable host and port"),
        ("http://[::1]x80/", 400, "the URL has no usable host and port"),
        ("http://\(String(repeating: "a", count: 254))/", 400, "the URL has no usable host and port"),
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

    @Test(arguments: ["/?next=https://app.example/cb", "/http://app.example/", "a_b://c"])
    func pathThatHoldsAURLIsOneOfOurs(path: String) throws {
        let request = try ProxyRequest.parse(Array("GET \(path) HTTP/1.1\r\n\r\n".utf8))
        #expect(request.target == .own(path: path))
    }

    /// RFC 9112, section 3.
    @Test(arguments: [
        "G(T http://a/ HTTP/1.1", " http://a/ HTTP/1.1", "GET  HTTP/1.1", "GET http://a/\u{7f} HTTP/1.1",
        "GET http://a/\t HTTP/1.1", "GET http://a/ b HTTP/1.1",
    ])
    func whatIsNoRequestLineIsRefused(line: String) {
        #expect(throws: ProxyRequest.Refusal(status: 400, reason: "not a request line of HTTP/1")) {
            try ProxyRequest.parse(Array("\(line)\r\nHost: a\r\n\r\n".utf8))
        }
    }

    @Test(arguments: [
        ("GET /a HTTP/1.1", true, true), ("GET /a b HTTP/1.1", true, false),
        ("GET /\u{7f} HTTP/1.1", true, false), ("OPTIONS * HTTP/1.1", true, true),
        ("GET a HTTP/1.1", true, false), ("G(T / HTTP/1.1", false, false), (" / HTTP/1.1", false, false),
        ("GET  HTTP/1.1", false, false),
    ])
    func serverSeesWhateverEndsAndAProxyWhatIsPlain(line: String, isRead: Bool, isPlain: Bool) {
        let request = try? ProxyRequest.parseForServer(Array("\(line)\r\nHost: a\r\n\r\n".utf8))
        #expect((request != nil) == isRead && (request?.hasFormForProxies ?? false) == isPlain)
    }

    /// RFC 9112, section 5.2: credentials may be folded over lines, and what is refused for that is taken down.
    @Test(arguments: [" ", "\t"])
    func foldedCredentialsGoWithTheirField(blank: String) {
        let lines = "Proxy-Authorization: Basic\r\n\(blank)c2VjcmV0\r\nX: 1\r\n\(blank)2\r\n\r\n"
        let kept = ProxyRequest.withoutProxyFields(Array(lines.utf8)[...])
        #expect(String(decoding: kept, as: UTF8.self) == "X: 1\r\n\(blank)2\r\n\r\n")
    }
}
