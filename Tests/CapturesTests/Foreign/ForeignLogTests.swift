@testable import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// DevTools logs, network logs and mitmproxy's flows.
struct ForeignLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "log")
    }

    // MARK: - DevTools

    private static let events = [
        #"{"method":"Page.frameStartedLoading","params":{}}"#,
        #"{"method":"Network.requestWillBeSent","params":{"requestId":"R1","loaderId":"R1","type":"Document","timestamp":10.0,"wallTime":1772618048.356,"request":{"method":"GET","url":"https://rp.example/login","headers":{"User-Agent":"x"}}}}"#,
        #"{"method":"Network.requestWillBeSentExtraInfo","params":{"requestId":"R1","headers":{"Cookie":"sid=1","User-Agent":"x"},"associatedCookies":[{"blockedReasons":["SameSiteLax"],"cookie":{"name":"b"}}]}}"#,
        #"{"method":"Network.responseReceivedExtraInfo","params":{"requestId":"R1","statusCode":302,"headers":{"Location":"https://idp.example/a","Set-Cookie":"a=1\nb=2"},"headersText":"HTTP/1.1 302 Found\r\nLocation: https://idp.example/a\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"}}"#,
        ##"{"method":"Network.requestWillBeSent","params":{"requestId":"R1","loaderId":"R1","timestamp":10.5,"wallTime":1772618048.856,"redirectHasExtraInfo":true,"redirectResponse":{"status":302,"headers":{}},"request":{"method":"POST","url":"https://idp.example/a","urlFragment":"#f","postData":"code=1","headers":{"Content-Type":"application/x-www-form-urlencoded"}}}}"##,
        #"{"method":"Network.responseReceived","params":{"requestId":"R1","response":{"status":200,"statusText":"OK","mimeType":"text/html","protocol":"h2","remoteIPAddress":"::1","remotePort":443,"headers":{"Content-Type":"text/html"},"securityDetails":{"protocol":"TLS 1.3"}}}}"#,
        #"{"method":"Network.dataReceived","params":{"requestId":"R1","dataLength":5}}"#,
        #"{"method":"Network.loadingFinished","params":{"requestId":"R1","timestamp":11.0,"encodedDataLength":99}}"#,
        #"{"method":"Page.frameNavigated","params":{"frame":{"loaderId":"R1","url":"https://idp.example/a"}}}"#,
        #"{"id":7,"method":"Network.getResponseBody","params":{"requestId":"R1"}}"#,
        #"{"id":7,"result":{"body":"aGVsbG8=","base64Encoded":true}}"#,
        #"{"method":"Network.requestWillBeSent","params":{"requestId":"R2","timestamp":12,"wallTime":1772618050,"request":{"method":"GET","url":"https://x.example/","headers":{}}}}"#,
        #"{"method":"Network.loadingFailed","params":{"requestId":"R2","timestamp":12.1,"errorText":"net::ERR_FAILED"}}"#,
    ]

    private static let forms: [(name: String, text: String)] = [
        ("a line each", events.joined(separator: "\n")),
        ("a list", "[" + events.joined(separator: ",\n") + "]"),
        ("a list that breaks off", "[" + events.joined(separator: ",\n") + ","),
        (
            "ChromeDriver's performance log",
            "["
                + events.map { event in
                    let inner = JSONWriter.text(of: .string("{\"message\":\(event),\"webview\":\"1\"}"))
                    return "{\"level\":\"INFO\",\"message\":\(inner),\"timestamp\":1}"
                }.joined(separator: ",") + "]"
        ),
    ]

    @Test(arguments: forms) func devToolsEventsBecomeExchanges(name: String, text: String) throws {
        let capture = try read(text)
        try #require(capture.count == 3, "\(name)")
        let (first, second, third) = (capture[0], capture[1], capture[2])
        #expect(first.request.cookie("sid") == "1" && first.response?.status == 302)
        #expect(
            first.response?.setCookies.map(\.name) == ["a", "b"] && first.response?.statusText == "Found"
        )
        #expect(
            first.startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z" && first.duration == .milliseconds(500)
        )
        #expect(first.request.foreign["_blockedCookies"]?.array?.count == 1)
        #expect(second.request.url.text == "https://idp.example/a#f" && second.request.body?.text == "code=1")
        #expect(second.response?.body?.text == "hello" && second.response?.httpVersion == "HTTP/2")
        #expect(
            second.connection.serverAddress == "[::1]:443" && second.connection.serverTLSVersion == "TLSv1.3"
        )
        #expect(second.foreign["pageref"] == "R1" && capture.logMembers["pages"]?.array?.count == 1)
        #expect(third.response == nil && third.failure == "net::ERR_FAILED")
        #expect(capture.losses.isEmpty == !name.contains("breaks off"), "\(capture.losses)")
        #expect(
            try JSONParser.parse(#require(capture.text(ofEntry: 1)))["request"]?["url"]
                == "https://idp.example/a#f"
        )
    }

    // MARK: - NetLog

    /// A browser reads its cache also to ask the server whether the answer there still holds.
    @Test(arguments: [false, true]) func cacheOfNetworkLogIsTold(isAsked: Bool) throws {
        let request =
            #"{"phase":0,"source":{"id":5,"type":9},"time":"3","type":4,"params":{"headers":["A: b"]}},"#
        let capture = try read(
            #"""
            {"constants":{"logEventTypes":{"URL_REQUEST_START_JOB":1,"HTTP_CACHE_READ_INFO":2,"HTTP_TRANSACTION_READ_RESPONSE_HEADERS":3,"HTTP_TRANSACTION_SEND_REQUEST_HEADERS":4,"COOKIE_INCLUSION_STATUS":5},"logSourceType":{"URL_REQUEST":9},"netError":{},"timeTickOffset":1772618000000},"events":[
            {"phase":1,"source":{"id":5,"type":9},"time":"1","type":1,"params":{"method":"GET","url":"https://rp.example/"}},
            {"phase":1,"source":{"id":5,"type":9},"time":"2","type":2},\#(isAsked ? request : "")
            {"phase":0,"source":{"id":5,"type":9},"time":"4","type":5,"params":{"name":"a","status":"EXCLUDE"}},
            {"phase":0,"source":{"id":5,"type":9},"time":"5","type":3,"params":{"headers":["HTTP/1.1 200 OK"]}}]}
            """#
        )
        #expect(capture[0].foreign["_fromCache"] == (isAsked ? nil : "disk"))
        #expect(capture[0].foreign["_cookieInclusion"]?.array?.count == 1)
    }

    private static let netLog = #"""
        {"constants":{"logEventTypes":{"URL_REQUEST_START_JOB":1,"HTTP_TRANSACTION_SEND_REQUEST_HEADERS":2,"HTTP_TRANSACTION_READ_RESPONSE_HEADERS":3,"URL_REQUEST_JOB_FILTERED_BYTES_READ":4,"REQUEST_ALIVE":5,"HTTP_TRANSACTION_HTTP2_SEND_REQUEST_HEADERS":6,"LOCAL_NETWORK_ACCESS_CHECK":7,"HTTP_TRANSACTION_SEND_REQUEST_BODY":8},"logSourceType":{"NONE":0,"URL_REQUEST":9},"netError":{"ERR_NAME_NOT_RESOLVED":-105},"timeTickOffset":1772618000000,"clientInfo":{"name":"Chromium","version":"1"}},
        "events":[
        {"phase":1,"source":{"id":5,"type":9},"time":"48356","type":1,"params":{"method":"GET","url":"https://rp.example/login"}},
        {"phase":0,"source":{"id":5,"type":9},"time":"48357","type":7,"params":{"transport_info":"TransportInfo{ type = X, endpoint = 192.0.2.1:443, negotiated_protocol = h2 }"}},
        {"phase":0,"source":{"id":5,"type":9},"time":"48358","type":6,"params":{"headers":[":method: GET",":authority: rp.example","cookie: sid=1"]}},
        {"phase":0,"source":{"id":5,"type":9},"time":"48360","type":3,"params":{"headers":["HTTP/1.1 302","location: https://idp.example/a"]}},
        {"phase":0,"source":{"id":5,"type":0},"time":"48356","type":3,"params":{"headers":["HTTP/1.1 500 Other source"]}},
        {"phase":1,"source":{"id":5,"type":9},"time":"48400","type":1,"params":{"method":"POST","url":"https://idp.example/a"}},
        {"phase":0,"source":{"id":5,"type":9},"time":"48401","type":2,"params":{"headers":["Host: idp.example"],"line":"POST /a HTTP/1.1\r\n"}},
        {"phase":0,"source":{"id":5,"type":9},"time":"48402","type":8,"params":{"length":12}},
        {"phase":0,"source":{"id":5,"type":9},"time":"48405","type":3,"params":{"headers":["HTTP/1.1 200 OK","Content-Type: text/plain"]}},
        {"phase":0,"source":{"id":5,"type":9},"time":"48406","type":4,"params":{"byte_count":3,"bytes":"aGVs"}},
        {"phase":0,"source":{"id":5,"type":9},"time":"48406","type":4,"params":{"byte_count":2,"bytes":"bG8="}},
        {"phase":2,"source":{"id":5,"type":9},"time":"48410","type":5},
        {"phase":1,"source":{"id":6,"type":9},"time":"48500","type":1,"params":{"method":"GET","url":"https://gone.example/"}},
        {"phase":2,"source":{"id":6,"type":9},"time":"48501","type":1,"params":{"net_error":-105}}
        """#

    @Test(arguments: ["]}", "],\n\"polledData\":{}}", ",\n", ""]) func networkLogBecomesExchanges(end: String)
        throws
    {
        let capture = try read(Self.netLog + end)
        try #require(capture.count == 3)
        #expect(
            capture[0].request.cookie("sid") == "1"
                && capture[0].response?.location == "https://idp.example/a"
        )
        #expect(
            capture[0].startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z"
                && capture[0].duration == .milliseconds(44)
        )
        #expect(
            capture[0].connection.serverAddress == "192.0.2.1:443"
                && capture[0].response?.httpVersion == "HTTP/2"
        )
        #expect(capture[1].response?.body?.text == "hello" && capture[1].request.body?.wireSize == 12)
        #expect(capture[1].request.body?.isRecorded == false && capture[1].response?.statusText == "OK")
        #expect(capture[2].response == nil && capture[2].failure == "net::ERR_NAME_NOT_RESOLVED")
        #expect(capture.losses.isEmpty == end.hasSuffix("}"), "\(capture.losses)")
    }

    /// It calls what it negotiated for HTTP/3 `quic`.
    @Test func networkLogNamesHTTP3() throws {
        let text = Self.netLog.replacingOccurrences(
            of: "negotiated_protocol = h2",
            with: "negotiated_protocol = quic"
        )
        let exchange = try read(text + "]}")[0]
        #expect(exchange.request.httpVersion == "HTTP/3" && exchange.response?.httpVersion == "HTTP/3")
        #expect(exchange.connection.alpn == "h3")
    }

    /// Chromium calls home while somebody logs in; where it gets no answer, that is no provider that cannot be reached.
    @Test(arguments: [
        ("other", "not an origin", true), ("other", "https://rp.example", false),
        ("main frame", "not an origin", false),
    ])
    func callsOfTheBrowserItselfThatHadNoAnswerAreLeftOut(type: String, initiator: String, isLeftOut: Bool)
        throws
    {
        let home =
            #"{"method":"POST","url":"https://accounts.example/list","request_type":"\#(type)","initiator":"\#(initiator)"}"#
        let events = #"""
            ,{"phase":1,"source":{"id":7,"type":9},"time":"48600","type":1,"params":\#(home)},
            {"phase":2,"source":{"id":7,"type":9},"time":"48601","type":1,"params":{"net_error":-105}},
            {"phase":1,"source":{"id":8,"type":9},"time":"48700","type":1,"params":\#(home)},
            {"phase":0,"source":{"id":8,"type":9},"time":"48705","type":3,"params":{"headers":["HTTP/1.1 200 OK"]}}
            """#
        let capture = try read(Self.netLog + events + "]}")
        let found = capture.indices.map { capture[$0] }
        #expect(
            found.map(\.failure)
                == [nil, nil, "net::ERR_NAME_NOT_RESOLVED"]
                + (isLeftOut ? [] : ["net::ERR_NAME_NOT_RESOLVED"]) + [nil]
        )
        #expect(
            capture.losses.map(\.description)
                == (isLeftOut
                    ? ["line 16: a request of the browser itself had no answer, and is left out"] : [])
        )
    }

    // MARK: - mitmproxy

    indirect enum Net {
        case text(String), bytes(String), number(String), float(String), yes, none
        case list([Net]), object([(String, Net)])

        var encoded: String {
            let (payload, type) =
                switch self {
                case .text(let text): (text, ";")
                case .bytes(let text): (text, ",")
                case .number(let text): (text, "#")
                case .float(let text): (text, "^")
                case .yes: ("true", "!")
                case .none: ("", "~")
                case .list(let list): (list.map(\.encoded).joined(), "]")
                case .object(let members):
                    (members.map { Net.text($0.0).encoded + $0.1.encoded }.joined(), "}")
                }
            return "\(payload.utf8.count):\(payload)\(type)"
        }
    }

    private static func request(path: String, cookies: String) -> Net {
        .object([
            ("method", .bytes("POST")), ("scheme", .bytes("https")), ("host", .text("192.0.2.1")),
            ("port", .number("443")), ("path", .bytes(path)), ("authority", .bytes("")),
            ("http_version", .bytes("HTTP/1.1")),
            (
                "headers",
                .list([
                    .list([.bytes("Host"), .bytes("idp.example")]),
                    .list([.bytes("Cookie"), .bytes(cookies)]),
                ])
            ),
            ("content", .bytes("code=1")), ("timestamp_start", .float("1772618048.356")),
            ("timestamp_end", .float("1772618048.357")),
        ])
    }

    private static func response(body: String, reason: String) -> Net {
        .object([
            ("status_code", .number("200")), ("reason", .bytes(reason)),
            ("http_version", .bytes("HTTP/1.1")),
            ("headers", .list([.list([.bytes("Content-Type"), .bytes("application/json")])])),
            ("content", .bytes(body)), ("timestamp_start", .float("1772618048.456")),
            ("timestamp_end", .float("1772618048.556")),
        ])
    }

    private static func flow(
        _ change: ([(String, Net)]) -> [(String, Net)] = { $0 },
        body: String = "{}",
        path: String = "/token?x=1",
        field: String = "a=1",
        reason: String = "OK"
    ) -> Net {
        .object(
            change([
                ("type", .text("http")), ("version", .number("21")),
                ("request", request(path: path, cookies: field)),
                ("response", response(body: body, reason: reason)), ("error", .none),
                (
                    "client_conn",
                    .object([
                        ("id", .text("c1")), ("peername", .list([.text("127.0.0.1"), .number("5000")])),
                        ("tls_version", .text("TLSv1.3")),
                    ])
                ),
                ("server_conn", .object([("peername", .list([.text("192.0.2.1"), .number("443")]))])),
                (
                    "websocket",
                    .object([
                        (
                            "messages",
                            .list([.list([.number("1"), .yes, .bytes("hi"), .float("1772618049.0")])])
                        )
                    ])
                ),
            ])
        )
    }

    @Test func flowBecomesAnExchange() throws {
        let capture = try read(Self.flow().encoded)
        let exchange = capture[0]
        #expect(
            exchange.request.url.text == "https://idp.example/token?x=1" && exchange.request.method == "POST"
        )
        #expect(
            exchange.startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z"
                && exchange.duration == .milliseconds(200)
        )
        #expect(exchange.request.cookie("a") == "1" && exchange.request.body?.text == "code=1")
        #expect(exchange.response?.body?.text == "{}" && exchange.response?.status == 200)
        #expect(exchange.timings.wait == .milliseconds(99) && exchange.connection.id == "c1")
        #expect(
            exchange.connection.serverAddress == "192.0.2.1:443"
                && exchange.client.address == "127.0.0.1:5000"
        )
        #expect(exchange.foreign["_webSocketMessages"]?.array?.first?["data"] == "hi")
        #expect(capture.losses.isEmpty)
    }

    @Test func oldNamesOfFlowsAreUnderstood() throws {
        let old = Net.object([
            ("type", .bytes("http")), ("version", .list([.number("0"), .number("13")])),
            (
                "request",
                .object([
                    ("method", .bytes("GET")), ("scheme", .bytes("http")), ("host", .bytes("a.example")),
                    ("port", .number("80")),
                    ("path", .bytes("/")), ("httpversion", .list([.number("1"), .number("1")])),
                    ("headers", .list([])), ("content", .bytes("")),
                    ("timestamp_start", .float("1772618048.0")),
                ])
            ),
            (
                "response",
                .object([
                    ("code", .number("404")), ("msg", .bytes("Gone")),
                    ("httpversion", .list([.number("1"), .number("0")])),
                    ("headers", .list([])), ("body", .bytes("x")),
                ])
            ),
            (
                "server_conn",
                .object([
                    ("peer_address", .object([("address", .list([.bytes("192.0.2.1"), .number("80")]))]))
                ])
            ),
        ])
        let exchange = try read(old.encoded)[0]
        #expect(
            exchange.request.url.text == "http://a.example/" && exchange.request.httpVersion == "HTTP/1.1"
        )
        #expect(
            exchange.response?.status == 404 && exchange.response?.statusText == "Gone"
                && exchange.response?.body?.text == "x"
        )
        #expect(exchange.connection.serverAddress == "192.0.2.1:80")
    }

    @Test func largeBodiesStayInTheFileAndOtherFlowsAreCounted() throws {
        let text = String(repeating: "x", count: 40_000)
        let dns = Net.object([("type", .text("dns")), ("version", .number("21"))])
        let capture = try read(dns.encoded + Self.flow(body: text).encoded + Self.flow().encoded)
        #expect(capture.count == 2)
        guard case .deferred? = capture[0].response?.body?.content else {
            Issue.record("the body was read at once")
            return
        }
        #expect(capture[0].response?.body?.text == text)
        #expect(capture.losses.map(\.what) == ["1 flow of type dns is no HTTP, and left out"])
    }

    /// A request object or a SAML request in the URL, and cookies of a megabyte.
    @Test(arguments: [16_384, 16_385, 1 << 20]) func longTextsOfAHeadAreRead(count: Int) throws {
        let text = String(repeating: "x", count: count - 2)
        let exchange = try read(
            Self.flow(path: "/a\(text)", field: "a=\(text)", reason: "OK\(text)").encoded
        )[0]
        #expect(exchange.request.url.text == "https://idp.example/a\(text)")
        #expect(exchange.request.cookie("a") == text)
        #expect(exchange.response?.statusText == "OK\(text)")
    }

    @Test func textThatIsTooLongIsTold() throws {
        let text = String(repeating: "x", count: 1 << 20)
        let flow = Self.flow(path: "/\(text)", field: "a=\(text)")
        let capture = try read(Self.flow().encoded + flow.encoded)
        #expect(capture[1].request.url.text == "https://idp.example" && capture[1].request.cookie("a") == nil)
        #expect(
            capture.losses.map(\.what) == [
                "flow 1: its field Cookie has 1048578 bytes, and is left out",
                "flow 1: its path has 1048577 bytes, and is left out",
            ]
        )
        #expect(
            try read(flow.encoded + String(Self.flow().encoded.dropLast())).losses.map(\.isEnd) == [
                true, false, false,
            ]
        )
    }

    @Test func flowWithoutAnAnswerHasItsReason() throws {
        let flow = Self.flow { members in
            members.map { member in
                switch member.0 {
                case "response": ("response", .none)
                case "error":
                    (
                        "error",
                        .object([("msg", .text("Connection refused")), ("timestamp", .float("1772618049.0"))])
                    )
                default: member
                }
            }
        }
        let exchange = try read(flow.encoded)[0]
        #expect(exchange.response == nil && exchange.failure == "Connection refused")
    }

    @Test func everyCutOfFlowsIsReadAsFarAsTheyAreWhole() throws {
        let bytes = Array((Self.flow().encoded + Self.flow().encoded).utf8)
        let first = bytes.count / 2
        for cut in stride(from: 8, through: bytes.count, by: 7) {
            let capture = try? CaptureReader.read(bytes: Array(bytes[..<cut]), name: "flows")
            #expect((capture?.count ?? 0) == (cut == bytes.count ? 2 : cut >= first ? 1 : 0), "cut at \(cut)")
            if let capture {
                #expect(capture.losses.isEmpty == (cut % first == 0), "cut at \(cut): \(capture.losses)")
            }
        }
    }

    @Test func hostileLogsNeverTrap() {
        var random = SeededGenerator(seed: 4)
        for text in [
            Self.netLog + "]}", Self.events.joined(separator: "\n"), Self.flow().encoded,
            ProducerSample.all[0].har,
        ] {
            for _ in 0..<600 {
                var bytes = Array(text.utf8)
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = UInt8.random(in: 32...126, using: &random)
                }
                if Bool.random(using: &random) {
                    bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
                }
                guard let capture = try? CaptureReader.read(bytes: bytes, name: "log") else { continue }
                for index in capture.indices {
                    _ = (capture[index].response?.body?.bytes, capture.text(ofEntry: index))
                }
            }
        }
    }
}
