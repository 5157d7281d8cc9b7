import Captures
import Foundation
import LibCrypto
import Proxy
import Synchronization
import TLS
import Testing

/// Requests in absolute form, and the set-up page.
extension ProxyServerTests {
    // MARK: Plain http

    @Test func plainRequestsGoWhereEachOfThemWants() async throws {
        let seen = Mutex<[String]>([])
        let script: @Sendable (String) -> LoopbackOrigin.Script = { name in
            { received in
                let text = String(decoding: received, as: UTF8.self)
                // Head and body may come one after the other.
                guard text.hasSuffix(text.hasPrefix("POST ") ? "body" : "\r\n\r\n") else { return .wait }
                seen.withLock { $0.append(name + " " + text) }
                return .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(name)".utf8))
            }
        }
        let first = try await LoopbackOrigin(tls: nil, script: script("a"))
        let second = try await LoopbackOrigin(tls: nil, script: script("b"))
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        // All at once: the second provider is dialled only when the first has answered.
        try await raw.send(
            """
            POST http://localhost:\(first.port)/token?x=1 HTTP/1.1\r
            hOsT:  localhost:\(first.port)\r
            Proxy-Authorization: Basic c2VjcmV0\r
            Proxy-Connection: keep-alive\r
            X-Odd:kept\r
            Content-Length: 4\r
            \r
            bodyGET http://localhost:\(second.port) HTTP/1.1\r
            Host: localhost:\(second.port)\r
            \r
            GET http://localhost:\(first.port)/again HTTP/1.1\r
            Host: localhost:\(first.port)\r
            \r

            """
        )
        #expect(try await raw.until { $0.received.components(separatedBy: "HTTP/1.1 200").count == 4 })
        #expect(
            seen.withLock { $0 } == [
                "a POST /token?x=1 HTTP/1.1\r\nhOsT:  localhost:\(first.port)\r\nX-Odd:kept\r\nContent-Length: 4\r\n\r\nbody",
                "b GET / HTTP/1.1\r\nHost: localhost:\(second.port)\r\n\r\n",
                "a GET /again HTTP/1.1\r\nHost: localhost:\(first.port)\r\n\r\n",
            ]
        )
        #expect(rig.exchanges.count == 3)
        #expect(rig.exchanges.allSatisfy { $0.request.url.scheme == "http" })
        try await raw.close()
        await rig.stop()
        try await first.stop()
        try await second.stop()
    }

    /// As with a provider that closes a connection which it takes for unused.
    @Test func requestThatCrossesWithTheProvidersEndIsNotTheClientsFault() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na".utf8))
        }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        let here = "localhost:\(origin.port)"
        try await raw.send("GET http://\(here)/ HTTP/1.1\r\nHost: \(here)\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        try await raw.send("GET http://\(here)/token HTTP/1.1\r\nHost: \(here)\r\n\r\n")
        try await raw.close()
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.request.url.path) == ["/", "/token"])
        #expect(exchanges[0].failure == nil)
        #expect(exchanges[1].failure?.hasPrefix("the server closed the connection") == true)
        await rig.stop()
        try await origin.stop()
    }

    @Test func requestBehindTheEndOfTheAnswersGoesNowhere() async throws {
        let first = try await LoopbackOrigin(tls: nil) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na".utf8))
        }
        let second = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        let here = "localhost:\(first.port)"
        try await raw.send("GET http://\(here)/ HTTP/1.1\r\nHost: \(here)\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        // What curl does with a callback that it sends on, while the end is still on its way to it: it asks again
        // elsewhere, and an app that had got both would spend the code twice.
        let url = "http://localhost:\(second.port)/callback?code=c"
        try await raw.send("GET \(url) HTTP/1.1\r\nHost: localhost:\(second.port)\r\n\r\n")
        let crossed = try await rig.exchanges(atLeast: 2)
        #expect(crossed.map(\.request.url.text) == ["http://\(here)/", url])
        #expect(crossed.last?.failure == "the connection was closed when the request came")
        try await raw.close()
        await rig.stop()
        #expect(second.received == 0)
        try await first.stop()
        try await second.stop()
    }

    @Test func requestThatWaitsForAnAnswerThatNeverComesIsAnEntry() async throws {
        let first = try await LoopbackOrigin(tls: nil) { _ in .reset }
        let second = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        let urls = ["http://localhost:\(first.port)/", "http://localhost:\(second.port)/callback?code=c"]
        try await raw.send(
            zip(urls, [first.port, second.port])
                .map { "POST \($0) HTTP/1.1\r\nHost: localhost:\($1)\r\nContent-Length: 3\r\n\r\nabc" }
                .joined()
        )
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.request.url.text) == urls)
        #expect(exchanges.last?.request.body?.text == "abc")
        #expect(
            exchanges.last?.failure
                == "the connection ended while the request waited for the answers before it"
        )
        // Which has been reset, as the first provider did.
        try? await raw.close()
        await rig.stop()
        #expect(second.received == 0)
        try await first.stop()
        try await second.stop()
    }

    /// One is for the recorder itself, one of somebody who may not use it, and one for a host that is left alone.
    @Test(arguments: [
        ("http://authreel.proxy/ca.pem", false), ("http://idp.example/", true),
        ("http://other.example/", false),
    ])
    func requestThatWaitsInVainIsNoEntryWhereItsAnswerWouldBeNone(url: String, wantsPassword: Bool)
        async throws
    {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .reset }
        let rig = try await ProxyRig(adjust: {
            $0.onlyHosts = ["localhost", "idp.example", "authreel.proxy"].map { HostPattern($0) }
            if wantsPassword { $0.proxyCredentials = BasicCredentials("al:pw") }
        })
        let raw = try await RawClient(port: rig.port)
        let first = "http://localhost:\(origin.port)/"
        let token = Base64.encode(Array("al:pw".utf8))
        try await raw.send(
            "GET \(first) HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic \(token)\r\n\r\n"
                + "GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        #expect(try await raw.until { $0.isEnded })
        try? await raw.close()
        await rig.stop()
        #expect(rig.exchanges.map(\.request.url.text) == [first])
        try await origin.stop()
    }

    /// Of what is not recorded nothing is, failures included.
    @Test(arguments: [true, false]) func unreachableHostThatIsNotRecordedIsNoEntry(isRecorded: Bool)
        async throws
    {
        let gone = try await LoopbackOrigin(tls: nil) { _ in .wait }
        try await gone.stop()
        let rig = try await ProxyRig(adjust: {
            $0.onlyHosts = [HostPattern(isRecorded ? "localhost" : "idp.example")]
        })
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET http://localhost:\(gone.port)/?code=c HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix("HTTP/1.1 502 "))
        try? await raw.close()
        await rig.stop()
        #expect(rig.exchanges.count == (isRecorded ? 1 : 0))
    }

    @Test func setUpPageHasTheCertificate() async throws {
        let rig = try await ProxyRig()
        let page = try await rig.curl("http://authreel.proxy/")
        #expect(page.text.contains("authreel is recording"))
        let direct = try await ProxyRig.run(["/usr/bin/curl", "-sS", "http://127.0.0.1:\(rig.port)/ca.pem"])
        #expect(try direct.text == String(contentsOfFile: rig.authorityFile, encoding: .utf8))
        let viaProxy = try await rig.curl(
            "-w",
            "%{content_type}",
            "-o",
            "/dev/null",
            "http://localhost:\(rig.port)/ca.crt"
        )
        #expect(viaProxy.text == "application/x-x509-ca-cert")
        #expect(rig.exchanges.isEmpty)
        await rig.stop()
    }
}
