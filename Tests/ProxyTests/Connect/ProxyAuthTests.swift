import Captures
import Foundation
import Synchronization
import Testing

@testable import Proxy

/// A proxy that asks its clients who they are.
@Suite(
    .serialized,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed")
)
struct ProxyAuthTests {
    private static let token = Base64.encode(Array("al:p:w".utf8))

    private func origin(tls: Bool = false) async throws -> LoopbackOrigin {
        try await LoopbackOrigin(tls: tls ? ProxyRig.originTLS() : nil) { received in
            received.suffix(4).elementsEqual("\r\n\r\n".utf8)
                ? .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)) : .wait
        }
    }

    private func rig(_ adjust: (inout ProxyConfiguration) -> Void = { _ in }) async throws -> ProxyRig {
        try await ProxyRig(adjust: {
            $0.proxyCredentials = BasicCredentials("al:p:w")
            adjust(&$0)
        })
    }

    @Test func clientWithThePasswordIsRecordedWithoutIt() async throws {
        let (plain, secure) = (try await origin(), try await origin(tls: true))
        let rig = try await rig()
        let output = try await rig.curl(
            "--proxy-user",
            "al:p:w",
            "http://localhost:\(plain.port)/",
            "https://localhost:\(secure.port)/",
            "http://localhost:\(plain.port)/2"
        )
        #expect(output.text == "hellohellohello", "\(output.error)")
        #expect(rig.exchanges.count == 3)
        for exchange in rig.exchanges {
            #expect(exchange.response?.status == 200)
            #expect(exchange.request.headers.first("proxy-authorization") == nil)
        }
        await rig.stop()
        try await plain.stop()
        try await secure.stop()
    }

    @Test(arguments: ["", "al:wrong", "al:", "al:p:w2"])
    func clientWithoutItIsTold(_ user: String) async throws {
        let origin = try await origin()
        let rig = try await rig()
        let given = user.isEmpty ? [] : ["--proxy-user", user]
        for url in ["http://localhost:\(origin.port)/", "https://localhost:\(origin.port)/"] {
            let output = try await ProxyRig.run(
                ["/usr/bin/curl", "-sSi", "--noproxy", "", "--proxy", "http://127.0.0.1:\(rig.port)", url]
                    + given
            )
            #expect(output.text.hasPrefix("HTTP/1.1 407 Proxy Authentication Required\r\n"), "\(output.text)")
            #expect(output.text.contains("\r\nProxy-Authenticate: Basic realm=\"authreel\"\r\n"))
            if url.hasPrefix("http:") { #expect(output.text.contains("--proxy-auth")) }
        }
        #expect(origin.received == 0)
        #expect(rig.exchanges.isEmpty)
        let asked = try await Self.demands(told: rig, atLeast: 2)
        #expect(asked == 2, "once for each connection")
        await rig.stop()
        try await origin.stop()
    }

    /// How often it was told that somebody is asked; waits for that, by looking, at most ten seconds.
    private static func demands(told rig: ProxyRig, atLeast count: Int) async throws -> Int {
        func demands() -> Int {
            rig.notices.count { if case .askedForPassword = $0 { true } else { false } }
        }
        for _ in 0..<1000 where demands() < count { try await Task.sleep(for: .milliseconds(10)) }
        return demands()
    }

    @Test func connectionGoesOnAfterTheQuestion() async throws {
        let origin = try await origin()
        let rig = try await rig()
        let raw = try await RawClient(port: rig.port)
        let target = "http://localhost:\(origin.port)/"
        // With a body, which is read and dropped; and one of several requests that came in one.
        try await raw.send(
            "POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\nGET \(target.prefix(10))"
        )
        #expect(try await raw.until { $0.received.hasSuffix("</p>\n") })
        let first = raw.count
        try await raw.send("\(String(repeating: "x", count: 26))CONNECT localhost:1 HTTP/1.1\r\n\r\n")
        #expect(try await raw.until { $0.count >= first * 2 })
        try await raw.send(
            "GET \(target) HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic \(Self.token)\r\n\r\n"
        )
        #expect(try await raw.until { $0.received.hasSuffix("hello") })
        #expect(raw.received.components(separatedBy: "HTTP/1.1 407 ").count == 3, "\(raw.received)")
        #expect(raw.received.components(separatedBy: "Connection: keep-alive").count == 3)
        #expect(rig.exchanges.map(\.request.method) == ["GET"])
        // Each request has to say it anew.
        try await raw.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.components(separatedBy: "HTTP/1.1 407 ").count == 4)
        try? await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test func guessingHasAnEndAndSoHaveBodies() async throws {
        let rig = try await rig()
        let guessing = try await RawClient(port: rig.port)
        for _ in 0..<20 {
            try? await guessing.send(
                "CONNECT a.example:443 HTTP/1.1\r\nProxy-Authorization: Basic eA==\r\n\r\n"
            )
        }
        #expect(try await guessing.until { $0.isEnded })
        let count = guessing.received.components(separatedBy: "HTTP/1.1 407 ").count - 1
        #expect(count == ConnectStateMachine.maximumDemands)
        #expect(try await Self.demands(told: rig, atLeast: 1) == 1)
        for framing in [
            "Content-Length: 65537", "Transfer-Encoding: chunked",
            "Content-Length: 5\r\nExpect: 100-continue",
        ] {
            let raw = try await RawClient(port: rig.port)
            try await raw.send("POST http://a.example/ HTTP/1.1\r\n\(framing)\r\n\r\n")
            #expect(try await raw.until { $0.isEnded })
            #expect(raw.received.contains("HTTP/1.1 407 ") && raw.received.contains("Connection: close"))
            try? await raw.close()
        }
        try? await guessing.close()
        await rig.stop()
    }

    @Test func twoAnswersAreNone() async throws {
        let rig = try await rig()
        let raw = try await RawClient(port: rig.port)
        let field = "Proxy-Authorization: Basic \(Self.token)\r\n"
        try await raw.send("CONNECT localhost:1 HTTP/1.1\r\n\(field)\(field)\r\n")
        #expect(try await raw.until { $0.received.hasPrefix("HTTP/1.1 407 ") })
        try? await raw.close()
        await rig.stop()
    }

    @Test func clientThatAsksSomebodyIsNotHurried() async throws {
        let rig = try await rig { $0.limits.headTime = .milliseconds(100) }
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT a.example:443 HTTP/1.1\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        // It would take a 408 for the answer to its next request.
        #expect(raw.received.components(separatedBy: "HTTP/1.1 ").count == 2)
        try? await raw.close()
        await rig.stop()
    }

    #if os(Linux)
    @Test func processThatIsVouchedForNeedNotSay() async throws {
        let origin = try await origin()
        let state = VouchState()
        let rig = try await rig {
            $0.vouchesFor = { processID in state.vouches(for: processID) }
        }
        let target = "http://localhost:\(origin.port)/"
        #expect(try await rig.curl(target, target).text == "hellohello")
        #expect(state.asked.count == 1)
        #expect(!state.asked.contains(ProcessInfo.processInfo.processIdentifier))
        state.isTrusting = false
        #expect(try await rig.curl(target, "-w", "%{http_code}").text.hasSuffix("407"))
        await rig.stop()
        // Nobody is vouched for who comes from elsewhere, whatever process seems to be there.
        state.isTrusting = true
        let remote = try await self.rig {
            $0.vouchesFor = { processID in state.vouches(for: processID) }
            $0.isRemote = { _, _ in true }
        }
        #expect(try await remote.curl("http://a.example/", "-w", "%{http_code}").text.hasSuffix("407"))
        await remote.stop()
        try await origin.stop()
    }

    private final class VouchState: Sendable {
        private let state = Mutex((asked: Set<Int32>(), isTrusting: true))

        var asked: Set<Int32> { state.withLock { $0.asked } }

        var isTrusting: Bool {
            get { state.withLock { $0.isTrusting } }
            set { state.withLock { $0.isTrusting = newValue } }
        }

        func vouches(for processID: Int32) -> Bool {
            state.withLock {
                $0.asked.insert(processID)
                return $0.isTrusting
            }
        }
    }
    #endif

    // MARK: The state machine

    private func machine() -> ConnectStateMachine {
        ConnectStateMachine(
            maximumHeadBytes: 1024,
            isOwn: { $0.host == "authreel.proxy" },
            isAuthorized: { $0.proxyAuthorization.map { String(decoding: $0, as: UTF8.self) } == "Basic x" }
        )
    }

    @Test func machineAsksAndGoesOn() throws {
        var machine = machine()
        let demand = ConnectStateMachine.Action.demandCredentials(method: "CONNECT", closes: false)
        #expect(machine.received(Array("CONNECT a:1 HTTP/1.1\r\n\r\nCONN".utf8)) == demand)
        #expect(!machine.isIdle)
        let origin = try #require(Origin(authority: "a:1", defaultPort: nil))
        #expect(
            machine.received(Array("ECT a:1 HTTP/1.1\r\nproxy-authorization :  Basic x \r\n\r\nrest".utf8))
                == .tunnel(origin, rest: Array("rest".utf8))
        )
    }

    @Test func machineAsksNobodyWhoWantsThePageOfTheProxy() {
        var page = machine()
        #expect(
            page.received(Array("GET / HTTP/1.1\r\n\r\n".utf8))
                == .serve(OwnRequest(method: "GET", path: "/", way: .direct))
        )
        var named = machine()
        #expect(
            named.received(Array("GET http://authreel.proxy/ HTTP/1.1\r\n\r\n".utf8))
                == .serve(OwnRequest(method: "GET", path: "/", way: .proxied))
        )
    }

    @Test func bodyIsDroppedHoweverItComes() {
        let bytes = Array(
            "POST http://a/ HTTP/1.1\r\nContent-Length: 4\r\n\r\nGET GET http://a/ HTTP/1.1\r\n\r\n".utf8
        )
        for split in 0...bytes.count {
            var machine = machine()
            var actions = [machine.received(bytes[..<split])]
            actions.append(machine.received(bytes[split...]))
            actions.append(machine.received([]))
            #expect(
                actions.filter { $0 != .waitForMoreBytes } == [
                    .demandCredentials(method: "POST", closes: false),
                    .demandCredentials(method: "GET", closes: false),
                ],
                "split at \(split)"
            )
        }
    }
}
