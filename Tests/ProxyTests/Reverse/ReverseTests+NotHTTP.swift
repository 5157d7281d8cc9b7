import Captures
import Foundation
import LibCrypto
import NIOCore
import Proxy
import Synchronization
import TLS
import Testing

/// What is not, or no longer, HTTP.
extension ReverseTests {
    // MARK: What is not, or no longer, HTTP

    @Test(arguments: [false, true])
    func bytesAfterAnUpgradePassBothWays(_ isEager: Bool) async throws {
        let frame: [UInt8] = [0x47, 0x02, 0x0a, 0x0a, 0x00, 0xff]
        let stage = try await Stage(script: { received in
            guard received.starts(with: "GET".utf8) else { return .send(received) }
            let answer =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
            return .send(Array(answer.utf8))
        })
        let raw = try await RawClient(port: stage.port)
        let request =
            "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:\(stage.port)\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
        try await raw.send(Array(request.utf8) + (isEager ? frame : []))
        if !isEager {
            #expect(try await raw.until { $0.received.hasSuffix("upgrade\r\n\r\n") })
            try await raw.send(frame)
        }
        let answered = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
            .utf8.count
        #expect(try await raw.until { $0.count == answered + 6 }, "\(raw.received)")
        try await raw.send(frame)
        #expect(try await raw.until { $0.count == answered + 12 })
        #expect(stage.seen.contains("Host: idp.localhost"))
        #expect(stage.rig.exchanges.map(\.response?.status) == [101])
        try await raw.close()
        try await stage.stop()
    }

    @Test func garbageIsForwardedAsItIs() async throws {
        let stage = try await Stage(script: { .send($0.reversed()) })
        let raw = try await RawClient(port: stage.port)
        try await raw.send([0, 1, 2])
        #expect(try await raw.until { $0.received == "\u{2}\u{1}\0" })
        #expect(stage.rig.notices.contains(.notHTTP(host: "idp.localhost:\(stage.origin.port)")))
        try await raw.close()
        try await stage.stop()
    }

    @Test func hostIsTheOriginsAlsoAfterAnAnswerThatCannotBeRead() async throws {
        let stage = try await Stage(script: { _ in .send(Array((ReverseTests.hello + "surplus").utf8)) })
        let raw = try await RawClient(port: stage.port)
        let length = Self.hello.utf8.count + 7
        for round in 1...2 {
            try await raw.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(stage.port)\r\n\r\n")
            #expect(try await raw.until { $0.count == round * length })
        }
        #expect(stage.seen.components(separatedBy: "Host: idp.localhost").count == 3)
        // Now we must not speak any more.
        try await raw.send("GET /\r\n\r\n")
        #expect(try await raw.until { $0.count == 3 * length })
        #expect(!raw.received.contains("400"))
        try await raw.close()
        try await stage.stop()
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\n",
    ])
    func requestWithoutAnEndIs400AndAnEntry(_ request: String) async throws {
        let stage = try await Stage()
        let raw = try await RawClient(port: stage.port)
        try await raw.send("GET / HTTP/1.1\r\n\r\n" + request)
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix(Self.hello + "HTTP/1.1 400 "), "\(raw.received)")
        #expect(stage.seen == "GET / HTTP/1.1\r\n\r\n")
        let exchanges = try await stage.rig.exchanges(atLeast: 2)
        #expect(exchanges.count == 2 && exchanges.last?.response == nil)
        #expect(exchanges.last?.failure?.isEmpty == false)
        try await stage.stop()
    }

    @Test func stalledAndEndlessHeadsAreAnswered() async throws {
        let stage = try await Stage(adjust: {
            $0.limits.headTime = .seconds(1)
            $0.limits.headBytes = 2000
        })
        // On a busy machine the first byte may be too late; then it is closed without a word.
        func answer(to head: String) async throws -> String {
            var client = try await RawClient(port: stage.port)
            for _ in 1...5 where client.count == 0 {
                client = try await RawClient(port: stage.port)
                try? await client.send(head)
                #expect(try await client.until { $0.isEnded })
            }
            return client.received
        }
        let stalled = try await answer(to: "GET / HTTP/1.1\r\nHost")
        #expect(stalled.hasPrefix("HTTP/1.1 408 "), "\(stalled)")
        let endless = try await answer(to: "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 3000))
        #expect(endless.hasPrefix("HTTP/1.1 431 "), "\(endless)")
        #expect(stage.seen.isEmpty)
        try await stage.stop()
    }

    /// The time that an answer takes is not the client's, and that behind it is.
    @Test func headThatStallsBehindALongAnswerIsAnswered() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"
        let stage = try await Stage(
            script: { _ in
                .drip(head: Array(head.utf8), Array("all of i".utf8), every: .milliseconds(100))
            },
            adjust: { $0.limits.headTime = .milliseconds(500) }
        )
        let raw = try await RawClient(port: stage.port)
        try await raw.send("GET / HTTP/1.1\r\n\r\nPOST /token HTTP/1.1\r\nHost")
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix(head + "all of iHTTP/1.1 408 "), "\(raw.received)")
        try? await raw.close()
        try await stage.stop()
    }

    @Test func silentClientIsClosedAndLeavesNoTrace() async throws {
        let stage = try await Stage(adjust: {
            $0.limits.headTime = .milliseconds(100)
            $0.limits.handshakeTime = .milliseconds(100)
        })
        let silent = try await RawClient(port: stage.port)
        #expect(try await silent.until { $0.isEnded })
        let stalled = try await RawClient(port: stage.port)
        try await stalled.send([22, 3, 1, 2])
        #expect(try await stalled.until { $0.isEnded })
        try await stage.stop()
        #expect(stage.rig.exchanges.isEmpty && stage.rig.notices.isEmpty)
        #expect(stage.origin.received == 0)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: authreel.proxy\r\n\r\n", "GET http://authreel.proxy/ HTTP/1.1\r\n\r\n",
    ])
    func setUpPageIsNotThere(_ request: String) async throws {
        let stage = try await Stage()
        let raw = try await RawClient(port: stage.port)
        try await raw.send(request)
        #expect(try await raw.until { $0.received == Self.hello })
        try await raw.close()
        try await stage.stop()
    }
}
