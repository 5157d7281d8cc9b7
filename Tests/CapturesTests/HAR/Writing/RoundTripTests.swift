import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// What is written comes back, and what other producers wrote besides is not lost.
struct RoundTripTests {
    /// The exchange as a file of ours gives it back, and the entry's JSON.
    private func written(_ exchange: Exchange) throws -> (exchange: Exchange, entry: JSONValue) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("a.har")
        try CaptureWriter(path: path, version: "1.0").append([exchange])
        let bytes = try Array(Data(contentsOf: URL(filePath: path)))
        let entry = try #require(JSONParser.parse(bytes)["log"]?["entries"]?.array?.first)
        return (try CaptureReader.read(bytes: bytes, name: path)[0], entry)
    }

    /// Browsers compute them from others in binary: 0.021 comes out a little below.
    @Test func durationsAreRounded() throws {
        let text = """
            {"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","time":0.020999999999999908,
            "request":{"method":"GET","url":"https://a.example/"},"response":{"status":200},"timings":{}}]}}
            """
        let exchange = try CaptureReader.read(bytes: Array(text.utf8), name: "a.har")[0]
        #expect(exchange.duration == .microseconds(21))
    }

    /// With the field that sets it and without.
    @Test(arguments: [
        ("2026-04-04T11:54:08.356+02:00", "2026-04-04T09:54:08.356000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
        ("Fri, 31-Dec-9999 23:59:59 GMT", "9999-12-31T23:59:59.000000Z"), ("0000-01-01T00:00:00+01:00", nil),
        ("soon", nil),
    ])
    func datesOfCookiesKeepTheirYear(expires: String, text: String?) throws {
        let list = #"[{"name":"a","value":"1","expires":"\#(expires)"}]"#
        let field = #"[{"name":"Set-Cookie","value":"a=1; Expires=\#(expires)"}]"#
        for (cookies, headers) in [(list, "[]")] + (expires.contains(",") ? [("[]", field)] : []) {
            let har = """
                {"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","request":{"method":"GET",
                "url":"https://a.example/"},"response":{"status":200,"cookies":\(cookies),"headers":\(headers)}}]}}
                """
            let (back, entry) = try written(CaptureReader.read(bytes: Array(har.utf8), name: "a.har")[0])
            let cookie = entry["response"]?["cookies"]?.array?.first
            #expect(cookie?["name"]?.string == "a" && cookie?["expires"]?.string == text)
            #expect(back.response?.setCookies.first?.expires == (headers == "[]" ? text : expires))
        }
    }

    /// A text of which the bytes were no UTF-8 says so, as its characters could be either.
    @Test func bytesThatAreNoUTF8ComeBack() throws {
        func fields(_ names: String) -> HeaderFields {
            HeaderFields([
                HeaderFields.Field(name: "X-\(names)", value: "é", isLatin1: true),
                HeaderFields.Field(name: "X-\(names)", value: "é"),
            ])
        }
        var request = RecordedRequest(
            method: "GET",
            url: RecordedURL("https://a.example/é"),
            headers: fields("A"),
            trailers: fields("B")
        )
        request.isURLLatin1 = true
        let response = RecordedResponse(status: 200, headers: fields("C"), trailers: fields("D"))
        let exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            request: request,
            response: response
        )
        let (back, entry) = try written(exchange)
        #expect(back.request.isURLLatin1)
        #expect(back.request.headers == fields("A") && back.request.trailers == fields("B"))
        #expect(back.response?.headers == fields("C") && back.response?.trailers == fields("D"))
        #expect(entry["request"]?["_authreel"]?["latin1"]?.bool == true)
        let header = entry["request"]?["headers"]?.array?.first
        #expect(header?["value"]?.string == "é" && header?["_authreel"]?["latin1"]?.bool == true)
        #expect(try written(back).entry["request"] == entry["request"])
    }

    /// Methods are case-sensitive; loggers that write them small mean those in capitals.
    @Test(arguments: [("pOST", false, true), ("get", true, true), ("GET", false, nil), ("mine", false, nil)])
    func methodThatWasSentSmallComesBack(_ method: String, _ isLatin1: Bool, _ isTold: Bool?) throws {
        var request = RecordedRequest(method: method, url: RecordedURL("https://a.example/"))
        request.isURLLatin1 = isLatin1
        let (back, entry) = try written(Exchange(startedAt: Timestamp(nanoseconds: 0), request: request))
        #expect(back.request.method == method && back.request.isURLLatin1 == isLatin1)
        #expect(entry["request"]?["method"]?.string == method)
        #expect(entry["request"]?["_authreel"]?["methodAsSent"]?.bool == isTold)
        #expect(try written(back).entry["request"] == entry["request"])
    }

    /// A target that is no URL is malformed; of other producers it lacks what the header fields say.
    @Test(arguments: [
        ("app.example/login", "GET", true), ("app.example:443", "CONNECT", true),
        ("https://app.example/login", "GET", nil), ("*", "OPTIONS", nil),
    ]) func targetThatWasSentWithoutSchemeComesBack(_ target: String, _ method: String, _ isTold: Bool?)
        throws
    {
        var request = RecordedRequest(method: method, url: RecordedURL(target))
        request.headers = HeaderFields([("Host", "app.example")])
        let (back, entry) = try written(Exchange(startedAt: Timestamp(nanoseconds: 0), request: request))
        #expect(back.request.url.text == target)
        #expect(entry["request"]?["_authreel"]?["urlAsSent"]?.bool == isTold)
        #expect(try written(back).entry["request"] == entry["request"])
    }

    /// One that has all that there is of an exchange.
    private static let whole: Exchange = {
        var exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 1_780_000_000_123_456_000),
            duration: .microseconds(1_234_567),
            request: RecordedRequest(
                method: "POST",
                url: RecordedURL("https://idp.example:8443/token?a=b%2Fc&a=&d#f"),
                headers: HeaderFields([
                    ("Host", "idp.example:8443"), ("X-Twice", "1"), ("x-twice", "2"), ("Cookie", "a=b=c; d"),
                ]),
                body: Body(text: "code=é&x=\u{1}", mediaType: FormBody.mediaType)
            ),
            response: RecordedResponse(
                status: 302,
                statusText: "Found",
                headers: HeaderFields([
                    ("Location", "app:/cb?code=1"), ("Set-Cookie", "s=1; Path=/; HttpOnly"),
                ]),
                body: Body(content: .bytes([0, 1, 255, 254]), mediaType: "image/png", size: 4, wireSize: 9)
            ),
            timings: Timings(
                dns: .microseconds(5),
                connect: .milliseconds(2),
                tls: .milliseconds(1),
                wait: .milliseconds(3)
            ),
            connection: ConnectionFacts(
                id: "7",
                serverAddress: "127.0.0.1:8443",
                clientTLSVersion: "TLSv1.3",
                serverTLSVersion: "TLSv1.2",
                cipher: "TLS_AES_128_GCM_SHA256",
                serverName: "idp.example",
                alpn: "http/1.1"
            ),
            client: ClientFacts(process: "apache2", processID: 42, address: "127.0.0.1:5000"),
            tunnel: TunnelFacts(reason: .asked, sentBytes: 0, receivedBytes: 5_000_000_000),
            malformations: [
                Malformation(side: .response, offset: 17, reason: "a chunk size that is none: \"zz\"")
            ],
            upgradedTo: "websocket"
        )
        exchange.unknownFields = UnknownFields(request: 2, response: 1)
        exchange.request.trailers = HeaderFields([("X-Check", "1")])
        exchange.response?.trailers = HeaderFields([("X-Sum", "2")])
        exchange.response?.body?.isTruncated = true
        exchange.response?.body?.remainingCoding = "br"
        return exchange
    }()

    @Test func everyFieldOfItsMessagesComesBack() throws {
        let exchange = Self.whole
        let back = try written(exchange).exchange
        #expect(back.request.url == exchange.request.url && back.request.method == "POST")
        #expect(
            back.request.headers == exchange.request.headers
                && back.request.body?.bytes == exchange.request.body?.bytes
        )
        #expect(back.response?.status == 302 && back.response?.statusText == "Found")
        #expect(
            back.response?.headers == exchange.response?.headers
                && back.response?.body?.bytes == [0, 1, 255, 254]
        )
        #expect(back.response?.body?.size == 4 && back.response?.body?.wireSize == 9)
        #expect(back.response?.body?.isTruncated == true && back.response?.body?.remainingCoding == "br")
        #expect(
            back.request.trailers == exchange.request.trailers
                && back.response?.trailers == exchange.response?.trailers
        )
    }

    @Test func everythingBesideTheMessagesComesBack() throws {
        let exchange = Self.whole
        let back = try written(exchange).exchange
        #expect(back.startedAt == exchange.startedAt && back.duration == exchange.duration)
        #expect(
            back.timings.dns == .microseconds(5) && back.timings.wait == .milliseconds(3)
                && back.timings.blocked == nil
        )
        #expect(back.connection == exchange.connection && back.client == exchange.client)
        #expect(back.tunnel == exchange.tunnel && back.tunnel.receivedBytes == 5_000_000_000)
        #expect(back.malformations == exchange.malformations && back.upgradedTo == "websocket")
        #expect(back.unknownFields == exchange.unknownFields)
    }

    @Test func failedExchangeIsStatusZeroWithItsReason() throws {
        let request = RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/"))
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 1),
            request: request,
            failure: "connection refused"
        )
        let (back, entry) = try written(exchange)
        #expect(entry["response"]?["status"] == 0)
        #expect(entry["_error"] == "connection refused")
        #expect(back.response == nil && back.failure == "connection refused")
    }

    /// HAR 1.2 demands these; readers of others stumble when they are missing.
    @Test func requiredMembersOfHARAreThere() throws {
        let request = RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/?a=1"))
        let entry = try written(Exchange(startedAt: Timestamp(seconds: 1), request: request)).entry
        for name in ["startedDateTime", "time", "request", "response", "cache", "timings"] {
            #expect(entry[name] != nil, "\(name)")
        }
        for name in [
            "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
        ] {
            #expect(entry["request"]?[name] != nil, "request.\(name)")
        }
        for name in [
            "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
            "headersSize", "bodySize",
        ] {
            #expect(entry["response"]?[name] != nil, "response.\(name)")
        }
        for name in ["send", "wait", "receive"] {
            #expect((entry["timings"]?[name]?.double ?? -1) >= 0, "timings.\(name)")
        }
    }

    @Test func unknownFieldsOfOthersSurvive() throws {
        let text = #"""
            {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537"},"entries":[{
            "startedDateTime":"2026-03-04T10:54:08.356+01:00","time":12.5,"pageref":"page_1","_initiator":{"type":"other"},
            "request":{"method":"GET","url":"https://a.example/","headers":[],"_priority":"High"},
            "response":{"status":200,"content":{"size":2,"mimeType":"text/plain","text":"ok","compression":3},"_transferSize":120},
            "cache":{"afterRequest":null},"timings":{"send":1,"wait":2,"receive":3,"_blocked_queueing":4.5},"_webSocketMessages":[{"data":"x"}]}]}}
            """#
        let read = try CaptureReader.read(bytes: Array(text.utf8), name: "a.har")
        let entry = try written(read[0]).entry
        #expect(entry["pageref"] == "page_1")
        #expect(entry["_initiator"]?["type"] == "other")
        #expect(entry["_webSocketMessages"]?.array?.count == 1)
        #expect(entry["request"]?["_priority"] == "High")
        #expect(entry["response"]?["_transferSize"] == 120)
        #expect(entry["response"]?["content"]?["compression"] == 3)
        #expect(entry["cache"]?["afterRequest"] == .null)
        #expect(entry["timings"]?["_blocked_queueing"]?.double == 4.5)
        // The offset is spelled as UTC; the instant is the same.
        #expect(entry["startedDateTime"] == "2026-03-04T09:54:08.356000Z")
    }

    @Test func everyCaptureOfTheFolderComesBackEntryByEntry() throws {
        let root = Fixtures.root.appending(path: "captures")
        let files =
            FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }.filter {
                $0.hasSuffix(".har")
            } ?? []
        #expect(files.count > 30)
        for file in files {
            let capture = try CaptureReader.read(path: root.appending(path: file).path)
            for index in capture.indices {
                let before = capture[index]
                let after = try written(before).exchange
                #expect(
                    after.request.url == before.request.url
                        && after.request.headers == before.request.headers,
                    "\(file) \(index)"
                )
                #expect(after.request.body?.bytes == before.request.body?.bytes, "\(file) \(index)")
                #expect(after.response?.status == before.response?.status, "\(file) \(index)")
                #expect(after.response?.headers == before.response?.headers, "\(file) \(index)")
                #expect(
                    after.response?.body?.bytes ?? [] == before.response?.body?.bytes ?? [],
                    "\(file) \(index)"
                )
                #expect(
                    after.failure == before.failure && after.foreign == before.foreign,
                    "\(file) \(index)"
                )
            }
        }
    }
}
