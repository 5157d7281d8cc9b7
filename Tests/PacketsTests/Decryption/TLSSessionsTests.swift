import COpenSSL
import Packets
import TestSupport
import Testing
import Wire

/// Connections whose secret stands in the key log with the one that they go on with.
struct TLSSessionsTests {
    private struct Case: CustomTestStringConvertible {
        var withTickets: Bool
        var ciphers: String
        /// Of the lines that the first connection has in the key log.
        var label = "CLIENT_RANDOM"

        var testDescription: String { "\(ciphers) \(withTickets ? "ticket" : "ID") \(label)" }
    }

    private static let cases = [true, false].flatMap { withTickets in
        ["ECDHE-RSA-AES128-GCM-SHA256", "AES256-SHA"].map { Case(withTickets: withTickets, ciphers: $0) } + [
            Case(withTickets: withTickets, ciphers: "AES256-SHA", label: "RSA")
        ]
    }

    @Test(arguments: cases)
    private func aSessionIsFoundByItsTicketOrID(_ one: Case) throws {
        var options = TLSPair.Options(
            versions: TLS1_2_VERSION...TLS1_2_VERSION,
            ciphers: one.ciphers,
            withTickets: one.withTickets
        )
        options.extendsMasterSecret = one.label != "RSA"
        let contexts = try TLSPair.Contexts(options)
        let known = TLSSessions()
        var session: OpaquePointer?
        var keys = TLSKeyLog()
        for turn in 0..<3 {
            let pair = try TLSPair(contexts, session: session)
            try pair.handshake()
            try pair.talk()
            if turn == 0 { keys = pair.keys(of: one.label) }
            let reading = TLSReading(pair.wire, keys: keys, sessions: known)
            #expect(reading.reasons.isEmpty)
            #expect(reading.facts.first?.isResumed == (turn > 0))
            #expect(reading.plaintext == pair.sent)
            // Who has not seen the first one cannot know.
            if turn > 0 {
                #expect(TLSReading(pair.wire, keys: keys).plaintext == [.client: [], .server: []])
            }
            if let session { SSL_SESSION_free(session) }
            session = pair.session()
            pair.close()
        }
        if let session { SSL_SESSION_free(session) }
    }

    /// As the balancers of F5 write keys down; another session's secret opens nothing.
    @Test func aSessionIsFoundByTheIDThatTheKeyLogHas() throws {
        let options = TLSPair.Options(
            versions: TLS1_2_VERSION...TLS1_2_VERSION,
            ciphers: "ECDHE-RSA-AES128-GCM-SHA256",
            withTickets: false
        )
        let pair = try TLSPair(TLSPair.Contexts(options), session: nil)
        try pair.handshake()
        try pair.talk()
        let session = try #require(pair.session())
        defer { SSL_SESSION_free(session) }
        var idCount: UInt32 = 0
        let id = UnsafeBufferPointer(start: SSL_SESSION_get_id(session, &idCount), count: Int(idCount))
        var secret = [UInt8](repeating: 0, count: 48)
        #expect(SSL_SESSION_get_master_key(session, &secret, secret.count) == 48)
        for (name, isKnown) in [(Array(id), true), (Array(id.reversed()), false)] {
            let keys = TLSKeyLog("RSA Session-ID:\(name.hex) Master-Key:\(secret.hex)\n")
            let reading = TLSReading(pair.wire, keys: keys)
            #expect(reading.plaintext == (isKnown ? pair.sent : [.client: [], .server: []]))
        }
        pair.close()
    }
}
