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
