import LibCrypto
import NIOCore
import NIOEmbedded
import TLS
import Testing

/// What a client makes of a server's certificate, and what either end is told of it.
struct CertificateCheckTests {
    private typealias Ends = HandlerEnds

    @Test func clientThatDoesNotTrustSendsAnAlertThatIsUnderstood() throws {
        let authority = try Ends.authority()
        let stranger = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [stranger.certificate]),
            server: Ends.server(authority)
        )
        try ends.exchange()
        guard case .failed(.certificate(let problem))? = ends.clientTail.outcomes.first else {
            Issue.record("\(ends.clientTail.outcomes)")
            return
        }
        #expect(problem.kind == .untrusted)
        #expect(problem.words == "unable to get local issuer certificate")
        #expect(problem.subject == "CN=login.example")
        #expect(problem.issuer == "CN=test authority")
        guard case .clientRejectedCertificate(.unknownCA?)? = ends.serverTail.outcomes.first else {
            Issue.record("\(ends.serverTail.outcomes)")
            return
        }
        ends.finish()
    }

    struct Verification: Sendable {
        var name: CertificateIssuer.Name
        var asked: String
        var notAfter: Int64
        var kind: CertificateProblem.Kind?
    }

    static let verifications: [Verification] = [
        .init(name: .host("a.example"), asked: "a.example", notAfter: Ends.now + 3600, kind: nil),
        .init(name: .host("a.example"), asked: "A.EXAMPLE", notAfter: Ends.now + 3600, kind: nil),
        .init(name: .host("*.login.example"), asked: "b.login.example", notAfter: Ends.now + 3600, kind: nil),
        .init(name: .host("a.example"), asked: "b.example", notAfter: Ends.now + 3600, kind: .wrongName),
        .init(name: .host("a.example"), asked: "a.example", notAfter: Ends.now - 60, kind: .outsideValidity),
        .init(name: .address([10, 0, 0, 1]), asked: "10.0.0.1", notAfter: Ends.now + 3600, kind: nil),
        .init(name: .address([10, 0, 0, 1]), asked: "10.0.0.2", notAfter: Ends.now + 3600, kind: .wrongName),
        .init(name: .host("10.0.0.1"), asked: "10.0.0.1", notAfter: Ends.now + 3600, kind: .wrongName),
    ]

    @Test(arguments: verifications)
    func certificateIsHeldAgainstTheName(_ row: Verification) throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            name: row.asked,
            server: Ends.server(authority, name: row.name, notAfter: row.notAfter)
        )
        try ends.exchange()
        switch try #require(ends.clientTail.outcomes.first) {
        case .completed: #expect(row.kind == nil)
        case .failed(.certificate(let problem)): #expect(problem.kind == row.kind)
        case let outcome: Issue.record("\(outcome)")
        }
        ends.finish()
    }

    @Test func withoutVerificationTheProblemIsReportedAndTolerated() throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [], verifies: false),
            name: "other.example",
            server: Ends.server(authority)
        )
        try ends.exchange()
        #expect(try ends.clientTail.facts().tolerated?.kind == .untrusted)
        ends.finish()
    }

    @Test func aTrustedLeafNeedsNoAuthority() throws {
        let authority = try Ends.authority()
        let key = try PrivateKey.generate(.elliptic(.p256))
        let leaf = try authority.leaf(
            for: .host("login.example"),
            key: key,
            validity: .init(notBefore: Ends.now - 60, notAfter: Ends.now + 3600)
        )
        let ends = try Ends(
            client: Ends.client(trusting: [leaf]),
            server: TLSContext.server(chain: [leaf], key: key)
        )
        try ends.exchange()
        _ = try ends.clientTail.facts()
        ends.finish()
    }

    @Test func breakingOffAfterTheCertificateIsARejection() throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
        )
        let hello = try #require(try ends.client.readOutbound(as: ByteBuffer.self))
        try ends.server.writeInbound(hello)
        ends.server.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        guard case .clientRejectedCertificate(nil)? = ends.serverTail.outcomes.first else {
            Issue.record("\(ends.serverTail.outcomes)")
            return
        }
        ends.finish()
        #expect(ends.serverTail.outcomes.count == 1)
    }

    @Test func breakingOffBeforeTheCertificateIsNone() throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
        )
        var hello = try #require(try ends.client.readOutbound(as: ByteBuffer.self))
        try ends.server.writeInbound(hello.readSlice(length: 20) ?? hello)
        ends.server.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        guard case .failed(.closed)? = ends.serverTail.outcomes.first else {
            Issue.record("\(ends.serverTail.outcomes)")
            return
        }
        ends.finish()
    }
}
