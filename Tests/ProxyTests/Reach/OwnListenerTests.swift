import Captures
import Foundation
import NIOCore
import Testing

@testable import Proxy

/// Nobody gets through the proxy to a listener of this program's own.
@Suite(
    .serialized,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed")
)
struct OwnListenerTests {
    /// What leads to 127.0.0.1, besides the names that the proxy knows to be its own.
    static let spellings = [
        "127.1", "2130706433", "0x7f.1", "0x7f000001", "017700000001", "0177.0.0.1", "0.0.0.0", "0",
        "app.localhost",
        "localhost.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    ]

    /// A proxy that knows its port beforehand; another program may have been quicker.
    private static func rig(
        _ adjust: (inout ProxyConfiguration, _ port: Int) throws -> Void
    ) async throws -> ProxyRig {
        for _ in 0..<10 {
            let probe = try await LoopbackOrigin(tls: nil) { _ in .wait }
            try await probe.stop()
            var configuration = ProxyConfiguration(port: 0)
            try adjust(&configuration, probe.port)
            do {
                return try await ProxyRig(adjust: { [configuration] in
                    $0.port = configuration.port
                    $0.reverse = configuration.reverse
                    $0.upstreamProxy = configuration.upstreamProxy
                })
            } catch is ProxyError { continue }
        }
        throw ProxyError.addressInUse(host: "127.0.0.1", port: 0)
    }

    private static func send(_ request: String, to port: Int) async throws -> String {
        let raw = try await RawClient(port: port)
        try await raw.send(request)
        // A tunnel to the set-up page stays open.
        try await raw.until { $0.isEnded || $0.received.hasSuffix("established\r\n\r\n") }
        try? await raw.close()
        return raw.received
    }

    @Test(arguments: spellings + ["localhost", "127.0.0.1"])
    func anotherServerOfThisProgramIsRefusedBeforeItHearsAnything(_ host: String) async throws {
        let viewer = try await SmallProxy(.http) { _ in
            Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let rig = try await ProxyRig(adjust: { $0.ownPorts = [viewer.port] })
        for request in [
            "CONNECT \(host):\(viewer.port) HTTP/1.1\r\n\r\n",
            "GET http://\(host):\(viewer.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(viewer.port)\r\n\r\n",
        ] {
            let answer = try await Self.send(request, to: rig.port)
            #expect(answer.hasPrefix("HTTP/1.1 502 "), "\(answer)")
        }
        #expect(rig.exchanges.count == 2)
        #expect(rig.exchanges.allSatisfy { $0.failure?.contains("is this recorder itself") == true })
        #expect(viewer.accepted == 0)
        await rig.stop()
        try await viewer.stop()
    }

    @Test(arguments: spellings)
    func proxyIsNoServerOfItsClients(_ host: String) async throws {
        let rig = try await ProxyRig()
        let tunnel = try await Self.send("CONNECT \(host):\(rig.port) HTTP/1.1\r\n\r\n", to: rig.port)
        let plain = try await Self.send(
            "GET http://\(host):\(rig.port)/x HTTP/1.1\r\nHost: x\r\n\r\n",
            to: rig.port
        )
        for answer in [tunnel, plain] {
            // Names that are known to be its own lead to the set-up page.
            #expect(
                answer.hasPrefix("HTTP/1.1 502 ") || answer.hasPrefix("HTTP/1.1 404 ")
                    || answer.hasPrefix("HTTP/1.1 200 Conn"),
                "\(answer)"
            )
        }
        // Whichever it was: no connection to itself was made.
        #expect(rig.exchanges.allSatisfy { $0.failure?.contains("is this recorder itself") == true })
        await rig.stop()
    }

    /// By its own names it is the origin, which clients find there without the proxy as well.
    @Test func addressThatIsPlayedIsRefusedByOtherNames() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) }
        let played = try ReverseOrigin("http://127.0.0.1:\(origin.port)=127.0.0.1:0")
        let rig = try await ProxyRig(adjust: { $0.reverse = [played] })
        for host in ["app.localhost", "2130706433", "127.1"] {
            let authority = "\(host):\(rig.reversePorts[0])"
            for request in [
                "GET http://\(authority)/ HTTP/1.1\r\nHost: 127.0.0.1:\(rig.reversePorts[0])\r\n\r\n",
                "CONNECT \(authority) HTTP/1.1\r\n\r\n",
            ] {
                let answer = try await Self.send(request, to: rig.port)
                #expect(answer.hasPrefix("HTTP/1.1 502 "), "\(answer)")
            }
        }
        #expect(origin.received == 0)
        await rig.stop()
        try await origin.stop()
    }

    @Test func originThatIsPlayedAtItselfIsRefused() async throws {
        // A hosts file that is not the client's alone: the provider's name leads to where it is played.
        let rig = try await Self.rig { configuration, port in
            configuration.reverse = [try ReverseOrigin("http://localhost:\(port)=127.0.0.1:\(port)")]
        }
        let output = try await rig.curlDirectly(
            "http://127.0.0.1:\(rig.reversePorts[0])/",
            "-w",
            "%{http_code}"
        )
        #expect(
            output.text.contains("is this recorder itself") && output.text.hasSuffix("502"),
            "\(output.text)"
        )
        await rig.stop()
    }

    @Test(arguments: ["http", "https", "socks5", "socks5h"], ["127.0.0.1", "localhost", "0x7f.1"])
    func upstreamProxyIsNotOurselves(_ scheme: String, _ host: String) async throws {
        let rig = try await Self.rig { configuration, port in
            configuration.port = port
            configuration.upstreamProxy = try UpstreamProxy("\(scheme)://\(host):\(port)")
        }
        let proxy = "\(scheme)://\(host):\(rig.port)"
        let output = try await rig.curl("http://192.0.2.1/", "-w", "%{http_code}")
        #expect(output.text.hasSuffix("502"))
        #expect(rig.exchanges.count == 1)
        let failure = try #require(rig.exchanges.first?.failure)
        #expect(
            failure.hasPrefix("ERR_PROXY_CONNECTION_FAILED: no connection to the upstream proxy \(proxy): ")
                && failure.hasSuffix("is this recorder itself; it does not connect to itself"),
            "\(failure)"
        )
        await rig.stop()
    }

    @Test func socksToOurselvesIsRefusedHere() async throws {
        let socks = try await SmallProxy(.socks)
        for scheme in ["socks5", "socks5h", "http"] {
            let proxy = try UpstreamProxy("\(scheme)://127.0.0.1:\(socks.port)")
            let rig = try await ProxyRig(adjust: { $0.upstreamProxy = proxy })
            let answer = try await Self.send("CONNECT 2130706433:\(rig.port) HTTP/1.1\r\n\r\n", to: rig.port)
            #expect(answer.contains("is this recorder itself"), "\(answer)")
            await rig.stop()
        }
        #expect(socks.heads.isEmpty)
        try await socks.stop()
    }

    @Test func secondAddressOfTheMachineIsOurs() throws {
        let own = OwnAddress(machine: {
            MachineAddresses(entries: [.init(interface: "e", address: "192.168.1.21")])
        })
        own.set(try SocketAddress(ipAddress: "0.0.0.0", port: 8080), host: "0.0.0.0")
        let policy = DestinationPolicy(own: [own])
        for text in ["127.0.0.1", "127.9.9.9", "0.0.0.0", "192.168.1.21", "::ffff:192.168.1.21"] {
            #expect(policy.isOwn(try SocketAddress(ipAddress: text, port: 8080)), "\(text)")
            #expect(!policy.isOwn(try SocketAddress(ipAddress: text, port: 8081)), "\(text)")
        }
        #expect(!policy.isOwn(try SocketAddress(ipAddress: "192.168.1.22", port: 8080)))
    }

    /// What leads a client to an origin that is played may lead the recorder there, too.
    @Test(arguments: [
        ("idp.example:443", "The recorder has to find the real idp.example: "),
        ("localhost:443", "This address plays https://idp.example: "),
        ("127.0.0.1:443", "This address plays https://idp.example: "),
        ("app.example:443", nil),
    ])
    func playedOriginThatLeadsHereIsExplained(_ authority: String, _ words: String?) throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 443)
        let own = OwnAddress(loopbackPort: 443)
        let played = try ReverseOrigin("https://idp.example=127.0.0.1:443")
        let policy = DestinationPolicy(own: [own], reverse: [ReverseListener(played, own: own)])
        let origin = try #require(Origin(authority: authority, defaultPort: nil))
        let failure = #expect(throws: UpstreamFailure.self) {
            try policy.permitted([address], of: origin, isRestricted: false)
        }
        #expect(failure?.reason == "\(authority) is this recorder itself; it does not connect to itself")
        if let words {
            #expect(failure?.hint?.hasPrefix(words) == true, "\(failure?.hint ?? "")")
        } else {
            #expect(failure?.hint == nil)
        }
    }

    /// A name with an own address among others goes to the others, and what it was for is said when they fail.
    @Test func nameThatLeadsHereAndElsewhere() async throws {
        let other = try await SmallProxy(.http)
        let own = OwnAddress(loopbackPort: other.port)
        let connector = UpstreamConnector(
            limits: ProxyLimits(connectTime: .seconds(2)),
            policy: DestinationPolicy(own: [own]),
            resolver: HostResolver { host, port in
                (host == "both.example" ? ["127.0.0.1", "127.0.0.2"] : ["127.0.0.1"]).compactMap {
                    try? SocketAddress(ipAddress: $0, port: port)
                }
            }
        )
        #expect(
            await Dialling.failure(of: "here.example:\(other.port)", connector)?.reason.contains(
                "recorder itself"
            ) == true
        )
        #expect(
            await Dialling.failure(of: "both.example:\(other.port)", connector)?.reason.contains(
                "recorder itself"
            ) == true
        )
        try await other.stop()
    }

    /// A name that changes its mind is asked once: what was judged is what is dialled.
    @Test func nameThatLeadsElsewhereTheSecondTimeIsAskedOnce() async throws {
        let viewer = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let questions = Counter()
        let connector = UpstreamConnector(
            limits: ProxyLimits(connectTime: .seconds(2)),
            policy: DestinationPolicy(own: [OwnAddress(loopbackPort: viewer.port)]),
            resolver: HostResolver { _, port in
                [questions.next() == 1 ? "127.0.0.2" : "127.0.0.1"].compactMap {
                    try? SocketAddress(ipAddress: $0, port: port)
                }
            }
        )
        let failure = await Dialling.failure(of: "rebind.example:\(viewer.port)", connector)
        #expect(failure?.reason == "ECONNREFUSED: connection refused by 127.0.0.2:\(viewer.port)")
        #expect(questions.count == 1)
        try await viewer.stop()
    }

    @Test func redirectToOurselvesIsARequestLikeOthers() async throws {
        let viewer = try await SmallProxy(.http) { _ in
            Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            .send(
                Array(
                    "HTTP/1.1 302 Found\r\nLocation: http://127.1:\(viewer.port)/\r\nContent-Length: 0\r\n\r\n"
                        .utf8
                )
            )
        }
        let rig = try await ProxyRig(adjust: { $0.ownPorts = [viewer.port] })
        let output = try await rig.curl("-L", "http://localhost:\(origin.port)/", "-w", "%{http_code}")
        #expect(output.text.hasSuffix("502"))
        #expect(viewer.accepted == 0)
        await rig.stop()
        try await viewer.stop()
        try await origin.stop()
    }
}
