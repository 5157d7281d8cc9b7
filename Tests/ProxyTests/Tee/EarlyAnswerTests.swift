import Captures
import Foundation
import Proxy
import Testing

/// Servers that answer before they have read the request.
struct EarlyAnswerTests {
    private static let refusal = Array("HTTP/1.1 405 Not Allowed\r\nContent-Length: 2\r\n\r\nno".utf8)
    private static let form = "grant_type=authorization_code&code=abc"

    private func head(_ port: Int) -> String {
        "POST http://127.0.0.1:\(port)/token HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(Self.form.utf8.count)\r\n\r\n"
    }

    /// Also where the server hangs up at once.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true]) func requestIsWholeInTheCapture(hangsUp: Bool)
        async throws
    {
        let origin = try await LoopbackOrigin(tls: nil) { seen in
            guard seen.starts(with: Array("POST".utf8)) else { return .wait }
            return hangsUp ? .sendAndFinish(Self.refusal) : .send(Self.refusal)
        }
        let rig = try await ProxyRig(adjust: { $0.limits.earlyAnswerTime = .seconds(60) })
        let client = try await RawClient(port: rig.port)
        try await client.send(head(origin.port))
        // It has answered by then, or will not have read any more.
        while origin.received == 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(client.count == 0)
        try await client.send(Self.form)
        #expect(try await client.until { $0.received.hasSuffix("no") }, "\(client.received)")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.response?.status == 405 && exchange.failure == nil)
        #expect(exchange.request.body?.text == Self.form)
        #expect(exchange.request.body?.isTruncated == false)
        try await client.close()
        await rig.stop()
        try await origin.stop()
    }

    /// A client that waits to be told to send its body does not send it behind a final answer (RFC 9110, section 10.1.1).
    @Test(.timeLimit(.minutes(1))) func nextRequestMayComeInThePlaceOfTheBody() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { seen in
            seen.starts(with: Array("POST".utf8))
                ? .send(Self.refusal) : .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
        }
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send(
            head(origin.port).replacing("Content-Length", with: "Expect: 100-continue\r\nContent-Length")
        )
        #expect(try await client.until { $0.received.hasSuffix("no") }, "\(client.received)")
        let here = "127.0.0.1:\(origin.port)"
        try await client.send("GET http://\(here)/next HTTP/1.1\r\nHost: \(here)\r\n\r\n")
        #expect(try await client.until { $0.received.hasSuffix("ok") }, "\(client.received)")
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.request.url.path) == ["/token", "/next"])
        #expect(exchanges.map(\.response?.status) == [405, 200])
        try await client.close()
        await rig.stop()
        try await origin.stop()
    }

    /// The client sends no more before it has its answer.
    @Test(.timeLimit(.minutes(1))) func answerIsNotKeptFromAClientThatWaitsForIt() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .send(Self.refusal) }
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send(head(origin.port) + Self.form.prefix(9))
        #expect(try await client.until { $0.received.hasSuffix("no") }, "\(client.received)")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.response?.status == 405)
        #expect(exchange.request.body?.text == String(Self.form.prefix(9)))
        try await client.close()
        await rig.stop()
        try await origin.stop()
    }
}
