import LibCrypto
import NIOCore
import NIOEmbedded
import TLS
import Testing

/// Sessions of servers that are taken up again, between two handlers without sockets.
struct SessionResumptionTests {
    private typealias Ends = HandlerEnds

    private static let endpoint = "login.example:443"

    /// One connection to its end; whether it went on with an earlier session.
    @discardableResult
    private func connect(
        _ client: TLSContext,
        _ server: TLSContext,
        name: String = "login.example",
        offering alpn: [String] = ["http/1.1"],
        showing certificate: CertifiedKey? = nil,
        endpoint: String? = Self.endpoint
    ) throws -> HandshakeFacts {
        let ends = try open(
            client,
            server,
            name: name,
            offering: alpn,
            showing: certificate,
            endpoint: endpoint
        )
        let found = try ends.clientTail.facts()
        #expect(try ends.serverTail.facts().isResumed == found.isResumed)
        ends.finish()
        return found
    }

    /// One connection that has had an answer, and the ticket before it.
    private func open(
        _ client: TLSContext,
        _ server: TLSContext,
        name: String = "login.example",
        offering alpn: [String] = ["http/1.1"],
        showing certificate: CertifiedKey? = nil,
        endpoint: String? = Self.endpoint
    ) throws -> Ends {
        let ends = try Ends(
            client: client,
            name: name,
            offering: alpn,
            showing: certificate,
            endpoint: endpoint,
            server: server
        )
        try ends.exchange()
        try ends.server.writeOutbound(ByteBuffer(string: "answer"))
        try ends.exchange()
        return ends
    }

    private func contexts() throws -> (client: TLSContext, server: TLSContext) {
        let authority = try Ends.authority()
        return (
            try Ends.client(trusting: [authority.certificate]),
            try Ends.server(authority)
        )
    }

    @Test func secondConnectionGoesOnWithTheSessionOfTheFirst() throws {
        let (client, server) = try contexts()
        let first = try connect(client, server)
        let second = try connect(client, server)
        #expect(!first.isResumed && second.isResumed)
        #expect(second.alpn == "http/1.1" && second.version == "TLSv1.3" && second.tolerated == nil)
        #expect(try connect(client, server).isResumed)
    }

    /// Servers of other names share what OpenSSL keeps for a server, and no sessions.
    @Test func sessionOfOneNameIsNotTakenUpAtAnother() throws {
        let authority = try Ends.authority()
        let client = try Ends.client(trusting: [authority.certificate])
        let key = try PrivateKey.generate(.elliptic(.p256))
        let leaves = try (0..<2).map { _ in
            try authority.leaf(
                for: .host("login.example"),
                key: key,
                validity: .init(notBefore: Ends.now - 60, notAfter: Ends.now + 3600)
            )
        }
        let shared = try TLSContext.server(chain: [leaves[0]], key: key)
        let servers = try leaves.map { shared.showing(try CertifiedKey(key: key, certificates: [$0])) }
        try connect(client, servers[0])
        #expect(try !connect(client, servers[1]).isResumed)
        #expect(try connect(client, servers[1]).isResumed)
    }

    @Test func resumedConnectionCarriesBytes() throws {
        let (client, server) = try contexts()
        try connect(client, server)
        let ends = try Ends(client: client, endpoint: Self.endpoint, server: server)
        ends.client.writeAndFlush(ByteBuffer(string: "early"), promise: nil)
        try ends.exchange()
        #expect(try ends.clientTail.facts().isResumed)
        #expect(ends.serverTail.bytes == Array("early".utf8))
        ends.finish()
    }

    /// A write of its own would wake the client for nothing.
    @Test func ticketGoesWithTheFirstAnswer() throws {
        let (client, server) = try contexts()
        let ends = try Ends(client: client, endpoint: Self.endpoint, server: server)
        var writes = 0
        for channel in [ends.client, ends.server, ends.client, ends.server] {
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                writes += 1
                try (channel === ends.client ? ends.server : ends.client).writeInbound(bytes)
            }
        }
        #expect(try ends.serverTail.facts().version == "TLSv1.3" && writes == 3)
        try ends.server.writeOutbound(ByteBuffer(string: "answer"))
        let answer = try #require(try ends.server.readOutbound(as: ByteBuffer.self))
        #expect(try ends.server.readOutbound(as: ByteBuffer.self) == nil)
        try ends.client.writeInbound(answer)
        #expect(ends.clientTail.bytes == Array("answer".utf8))
        ends.finish()
        #expect(try connect(client, server).isResumed)
    }

    @Test func ticketGoesAloneWhereNobodyAnswers() throws {
        let (client, server) = try contexts()
        let ends = try Ends(client: client, endpoint: Self.endpoint, server: server)
        try ends.exchange()
        for _ in 0..<2 { ends.server.embeddedEventLoop.advanceTime(by: TLSHandler.idleTime) }
        try ends.client.writeInbound(try #require(try ends.server.readOutbound(as: ByteBuffer.self)))
        ends.finish()
        #expect(try connect(client, server).isResumed)
    }

    @Test func eachTicketIsUsedOnce() throws {
        let (client, server) = try contexts()
        // Our servers give one.
        try connect(client, server)
        let both = try (0..<2).map { _ in
            try Ends(client: client, endpoint: Self.endpoint, server: server)
        }
        for ends in both { try ends.exchange() }
        #expect(try both.map { try $0.clientTail.facts().isResumed } == [true, false])
        for ends in both { ends.finish() }
    }

    @Test("As many connections at once as clients open find a session each.")
    func burstOfConnections() throws {
        let (client, server) = try contexts()
        // Each full handshake and each resumed one brings a ticket.
        let first = try (0..<16).map { _ in try open(client, server) }
        for ends in first { ends.finish() }
        let second = try (0..<16).map { _ in try open(client, server) }
        let resumed = try second.count { try $0.clientTail.facts().isResumed }
        for ends in second { ends.finish() }
        #expect(resumed == 16)
    }

    @Test func whatIsAskedForOtherwiseIsVerifiedAnew() throws {
        let (client, server) = try contexts()
        let key = try PrivateKey.generate(.elliptic(.p256))
        let own = try CertifiedKey(
            key: key,
            certificates: [
                try Ends.authority().leaf(
                    for: .host("client.example"),
                    key: key,
                    validity: .init(notBefore: Ends.now - 60, notAfter: Ends.now + 3600)
                )
            ]
        )
        try connect(client, server)
        #expect(try !connect(client, server, endpoint: "login.example:8443").isResumed)
        #expect(try !connect(client, server, name: "LOGIN.example").isResumed)
        #expect(try !connect(client, server, offering: ["http/1.1", "x"]).isResumed)
        #expect(try !connect(client, server, offering: []).isResumed)
        #expect(try !connect(client, server, showing: own).isResumed)
        #expect(try !connect(client, server, endpoint: nil).isResumed)
        #expect(try connect(client, server).isResumed)
        #expect(try connect(client, server, showing: own).isResumed)
        #expect(try !connect(client, server, endpoint: nil).isResumed)
    }

    @Test func sessionDoesNotHelpAServerOfAnotherName() throws {
        let (client, server) = try contexts()
        try connect(client, server)
        let ends = try Ends(client: client, name: "b.example", endpoint: Self.endpoint, server: server)
        try ends.exchange()
        guard case .failed(.certificate(let problem))? = ends.clientTail.outcomes.first else {
            Issue.record("\(ends.clientTail.outcomes)")
            return
        }
        #expect(problem.kind == .wrongName)
        ends.finish()
    }

    @Test func unverifiedSessionIsOfNoUseToWhoVerifies() throws {
        let authority = try Ends.authority()
        let server = try Ends.server(authority)
        try connect(try Ends.client(trusting: [], verifies: false), server)
        let ends = try Ends(
            client: try Ends.client(trusting: []),
            endpoint: Self.endpoint,
            server: server
        )
        try ends.exchange()
        guard case .failed(.certificate)? = ends.clientTail.outcomes.first else {
            Issue.record("\(ends.clientTail.outcomes)")
            return
        }
        ends.finish()
    }

    @Test func whatWasToleratedIsToldOfTheResumedConnectionToo() throws {
        let authority = try Ends.authority()
        let server = try Ends.server(authority)
        let client = try Ends.client(trusting: [], verifies: false)
        let first = try connect(client, server)
        let second = try connect(client, server)
        #expect(second.isResumed)
        #expect(second.tolerated != nil && second.tolerated == first.tolerated)
        let third = try connect(client, server)
        #expect(third.isResumed && third.tolerated == first.tolerated)
    }

    @Test func sessionEndsWithTheValidityOfTheCertificate() throws {
        let authority = try Ends.authority()
        let server = try Ends.server(authority, notAfter: Ends.now - 60)
        let client = try Ends.client(trusting: [], verifies: false)
        try connect(client, server)
        #expect(try !connect(client, server).isResumed)
    }

    @Test func sessionsOfTheServersAskedLongestAgoAreForgotten() throws {
        let (client, server) = try contexts()
        for index in 0..<70 { try connect(client, server, endpoint: "login.example:\(index)") }
        #expect(try connect(client, server, endpoint: "login.example:69").isResumed)
        #expect(try connect(client, server, endpoint: "login.example:6").isResumed)
        #expect(try !connect(client, server, endpoint: "login.example:5").isResumed)
    }

    @Test func connectionThatJustEndedLeavesItsSession() throws {
        let (client, server) = try contexts()
        do {
            let ends = try Ends(client: client, endpoint: Self.endpoint, server: server)
            try ends.exchange()
            try ends.server.writeOutbound(ByteBuffer(string: "answer"))
            try ends.exchange()
            // Without close_notify from either side.
            ends.client.pipeline.fireChannelInactive()
            ends.server.pipeline.fireChannelInactive()
            ends.finish()
        }
        #expect(try connect(client, server).isResumed)
    }

    @Test func serverThatHasForgottenVerifiesAnew() throws {
        let authority = try Ends.authority()
        let client = try Ends.client(trusting: [authority.certificate])
        try connect(client, try Ends.server(authority))
        // Another process, with other keys for its tickets.
        let facts = try connect(client, try Ends.server(authority))
        #expect(!facts.isResumed && facts.tolerated == nil)
    }
}
