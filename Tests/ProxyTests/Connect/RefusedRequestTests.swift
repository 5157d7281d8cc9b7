import Captures
import Foundation
import NIOCore
import Testing

@testable import Proxy

/// Requests that the proxy cannot carry out, and answers itself.
struct RefusedRequestTests {
    struct Row: Sendable {
        var sent: String
        var method: String
        var url: String
        var status: Int
        var reason: String
    }

    static let rows = [
        Row(
            sent: "POST http://idp.example/token HTTP/1.1\r\nProxy-Authorization: Basic c2VjcmV0\r\n"
                + "Accept: a/b\r\nContent-Length: 3, 4\r\n\r\nabc",
            method: "POST",
            url: "http://idp.example/token",
            status: 400,
            reason: "two Content-Length values that differ"
        ),
        Row(
            sent: "GET http://idp.example:99999/a?b HTTP/1.1\r\nAccept: a/b\r\n\r\n",
            method: "GET",
            url: "http://idp.example:99999/a?b",
            status: 400,
            reason: "the URL has no usable host and port"
        ),
        Row(
            sent:
                "GET http://idp.example/a HTTP/1.1\r\nAccept: a/b\r\nProxy-Authorization: Basic\r\n c2VjcmV0\r\n\r\n",
            method: "GET",
            url: "http://idp.example/a",
            status: 400,
            reason: "a field that is folded over lines: it could be read in two ways"
        ),
        Row(
            sent: "GET http://idp.example/a HTTP/1.1\r\nAccept: a/b\r\nCookie: "
                + String(repeating: "x", count: 2000),
            method: "GET",
            url: "http://idp.example/a",
            status: 431,
            reason: "the request head is longer than 1024 bytes"
        ),
        Row(
            sent: "POST http://idp.example/a HTTP/1.1\r\nAccept: a/b\r\nProxy-Authorization: Basic c2VjcmV0",
            method: "POST",
            url: "http://idp.example/a",
            status: 408,
            reason: "no complete request arrived in time"
        ),
    ]

    /// What is recorded, and whether the notice says so.
    private func exchanges(
        of sent: String,
        status: Int,
        adjust: (inout ProxyConfiguration) -> Void = { _ in }
    ) async throws -> (exchanges: [Exchange], isRecorded: Bool?) {
        let rig = try await ProxyRig(adjust: {
            $0.limits.headBytes = 1024
            adjust(&$0)
        })
        let client = try await RawClient(port: rig.port)
        try await client.send(sent)
        #expect(try await client.until { $0.isEnded })
        #expect(client.received.hasPrefix("HTTP/1.1 \(status) "), "\(client.received)")
        // Before the answer.
        let exchanges = rig.exchanges
        func isRecorded() -> Bool? {
            for case .requestRefused(status, _, _, let isRecorded) in rig.notices { return isRecorded }
            return nil
        }
        for _ in 0..<1000 where isRecorded() == nil { try await Task.sleep(for: .milliseconds(10)) }
        let told = isRecorded()
        try? await client.close()
        await rig.stop()
        return (exchanges, told)
    }

    @Test(.timeLimit(.minutes(1)), arguments: rows.indices)
    func requestForSomebodyIsAnEntry(_ index: Int) async throws {
        let row = Self.rows[index]
        let (exchanges, isRecorded) = try await exchanges(of: row.sent, status: row.status) {
            if row.status == 408 { $0.limits.headTime = .milliseconds(500) }
        }
        #expect(isRecorded == true)
        let exchange = try #require(exchanges.first)
        #expect(exchanges.count == 1)
        #expect(exchange.request.method == row.method)
        #expect(exchange.request.url.text == row.url)
        #expect(exchange.request.headers.first("accept") == "a/b")
        #expect(exchange.request.headers.first("proxy-authorization") == nil)
        #expect(!exchange.request.headers.fields.contains { $0.value.contains("c2VjcmV0") })
        #expect(exchange.response == nil)
        #expect(exchange.failure == "the recorder cannot use this request: \(row.reason)")
    }

    /// Nobody knows whom they are for, or they are for the recorder.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("GET ftp://idp.example/ HTTP/1.1\r\n\r\n", 501), ("GET\r\n\r\n", 400),
            ("CONNECT http://idp.example/ HTTP/1.1\r\n\r\n", 400),
            ("GET http://authreel.proxy/ HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        ]
    )
    func requestForNobodyIsNone(_ row: (sent: String, status: Int)) async throws {
        let (exchanges, isRecorded) = try await exchanges(of: row.sent, status: row.status)
        #expect(exchanges.isEmpty && isRecorded == false)
    }

    /// What is not to be recorded is not for being refused, nor what nobody knows to be of a host that is; and who may not use the
    /// proxy does not fill the capture.
    @Test(.timeLimit(.minutes(1)))
    func requestThatWouldNotBeRecordedIsNone() async throws {
        let sound = Self.rows[0]
        let adjustments: [(inout ProxyConfiguration) -> Void] = [
            { $0.onlyHosts = [HostPattern("api.example")] },
            { $0.passThroughHosts = [HostPattern("idp.example")] },
            { $0.proxyCredentials = BasicCredentials("al:pw") },
        ]
        for adjust in adjustments {
            let (exchanges, isRecorded) = try await exchanges(
                of: sound.sent,
                status: sound.status,
                adjust: adjust
            )
            #expect(exchanges.isEmpty && isRecorded == false)
        }
        let (named, _) = try await exchanges(of: sound.sent, status: sound.status) {
            $0.onlyHosts = [HostPattern("idp.example")]
        }
        #expect(named.count == 1)
        let unclear = Self.rows[1]
        let (unnamed, _) = try await exchanges(of: unclear.sent, status: unclear.status) {
            $0.onlyHosts = [HostPattern("idp.example")]
        }
        #expect(unnamed.isEmpty)
    }

    /// Whoever went in the middle of it wanted something of somebody: as far as that is known.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("GET http://idp.example/a?b=c HTTP/1.1\r\nAccept: a/b\r\nProxy-Auth", 1),
            ("GET http://idp.example/a?b=c", 0), ("GET /a HTTP/1.1\r\nAccept: a/b\r\nX", 0),
            ("GET http://authreel.proxy/ HTTP/1.1\r\nX", 0), ("CONNECT idp.example:443 HTTP/1.1\r\nX", 0),
        ]
    )
    func requestThatEndsWithinItsHeadIsAnEntry(_ row: (sent: String, count: Int)) async throws {
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send(row.sent)
        try await client.finishSending()
        #expect(try await client.until { $0.isEnded })
        #expect(client.received.isEmpty)
        try? await client.close()
        await rig.stop()
        #expect(rig.exchanges.count == row.count)
        guard let exchange = rig.exchanges.first else { return }
        #expect(exchange.request.url.text == "http://idp.example/a?b=c")
        #expect(exchange.request.headers.fields.map(\.name) == ["Accept"])
        #expect(exchange.response == nil)
        #expect(exchange.failure == "the connection ended within the head of the request")
    }

    @Test(.timeLimit(.minutes(1))) func laterRequestThatEndsWithinItsHeadIsAnEntryAsWell() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
        }
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        let here = "127.0.0.1:\(origin.port)"
        try await client.send("GET http://\(here)/ HTTP/1.1\r\nHost: \(here)\r\n\r\n")
        #expect(try await client.until { $0.received.hasSuffix("ok") })
        try await client.send("POST http://\(here)/token HTTP/1.1\r\nHost: x")
        try await client.finishSending()
        try? await client.close()
        let exchanges = try await rig.exchanges(atLeast: 2)
        await rig.stop()
        try await origin.stop()
        #expect(exchanges.map(\.request.url.path) == ["/", "/token"])
        #expect(exchanges.map(\.failure) == [nil, "the connection ended within the head of the request"])
    }

    /// What is said and recorded on a connection that had another request before.
    ///
    /// - Parameter next: the bytes behind that request, of the address of its server.
    /// - Returns: what the client received, and the exchanges.
    /// - Throws: where there is no connection.
    private func behindARequest(_ next: (String) -> String) async throws -> (text: String, [Exchange]) {
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
        }
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        let here = "127.0.0.1:\(origin.port)"
        try await client.send("GET http://\(here)/ HTTP/1.1\r\nHost: \(here)\r\n\r\n" + next(here))
        #expect(try await client.until { $0.isEnded })
        let exchanges = rig.exchanges
        try? await client.close()
        await rig.stop()
        try await origin.stop()
        return (client.received, exchanges)
    }

    @Test(.timeLimit(.minutes(1))) func laterRequestIsAnEntryAsWell() async throws {
        let (text, exchanges) = try await behindARequest {
            "POST http://\($0)/token HTTP/1.1\r\nHost: \($0)\r\nContent-Length: x\r\n\r\n"
        }
        #expect(text.contains("\r\n\r\nokHTTP/1.1 400 "), "\(text)")
        #expect(exchanges.map(\.request.url.path) == ["/", "/token"])
        #expect(
            exchanges.last?.failure
                == "the recorder cannot use this request: Content-Length is not a number"
        )
    }

    /// The time that an answer takes is not the client's, and that behind it is.
    @Test(.timeLimit(.minutes(1))) func headThatStallsBehindALongAnswerIsAnEntryAsWell() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"
            return .drip(head: Array(head.utf8), Array("all of i".utf8), every: .milliseconds(100))
        }
        let rig = try await ProxyRig(adjust: { $0.limits.headTime = .milliseconds(500) })
        let client = try await RawClient(port: rig.port)
        let here = "127.0.0.1:\(origin.port)"
        try await client.send(
            "GET http://\(here)/ HTTP/1.1\r\nHost: \(here)\r\n\r\nPOST http://\(here)/token HTTP/1.1\r\nHost"
        )
        #expect(try await client.until { $0.isEnded })
        #expect(client.received.contains("\r\n\r\nall of iHTTP/1.1 408 "), "\(client.received)")
        #expect(rig.exchanges.map(\.request.url.path) == ["/", "/token"])
        #expect(rig.exchanges.last?.failure?.hasSuffix("no complete request arrived in time") == true)
        try? await client.close()
        await rig.stop()
        try await origin.stop()
    }

    /// What stands behind it is another request, which was not looked at.
    @Test(.timeLimit(.minutes(1))) func tunnelThatComesTooLateIsNone() async throws {
        let (text, exchanges) = try await behindARequest { _ in
            "CONNECT idp.example:443 HTTP/1.1\r\n\r\nGET http://idp.example/me HTTP/1.1\r\n\r\n"
        }
        #expect(text.contains("\r\n\r\nokHTTP/1.1 400 "), "\(text)")
        #expect(exchanges.map(\.request.url.path) == ["/"])
    }
}
