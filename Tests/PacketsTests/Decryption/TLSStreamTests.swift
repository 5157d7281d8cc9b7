import COpenSSL
import Foundation
import Packets
import TestSupport
import Testing
import Wire

/// Connections of libssl with itself, read from outside.
struct TLSStreamTests {
    /// A suite that this libssl offers.
    struct Suite: Sendable, CustomTestStringConvertible {
        var name: String
        var version: CInt
        var testDescription: String { "\(name) in \(String(version, radix: 16))" }
    }

    /// All that need no password files and no DSA.
    static let suites: [Suite] = {
        guard let context = SSL_CTX_new(TLS_method()) else { return [] }
        defer { SSL_CTX_free(context) }
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_cipher_list(context, "ALL:COMPLEMENTOFALL:@SECLEVEL=0")
        SSL_CTX_set_ciphersuites(
            context,
            "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_CCM_SHA256"
                + ":TLS_AES_128_CCM_8_SHA256"
        )
        let ciphers = SSL_CTX_get_ciphers(context)
        return (0..<OPENSSL_sk_num(ciphers)).flatMap { index -> [Suite] in
            guard let cipher = OPENSSL_sk_value(ciphers, index).map({ OpaquePointer($0) }),
                let text = SSL_CIPHER_get_name(cipher)
            else { return [] }
            let name = String(cString: text)
            guard !name.contains("DSS"), !name.contains("SRP") else { return [] }
            if name.hasPrefix("TLS_") { return [Suite(name: name, version: TLS1_3_VERSION)] }
            let isOld = !String(cString: SSL_CIPHER_get_version(cipher)).hasSuffix("v1.2")
            let versions = isOld ? [TLS1_2_VERSION, TLS1_1_VERSION, TLS1_VERSION] : [TLS1_2_VERSION]
            return versions.map { Suite(name: name, version: $0) }
        }
    }()

    @Test(arguments: suites)
    func everySuiteOfLibsslIsRead(_ suite: Suite) throws {
        let isBlocks = !["GCM", "CCM", "POLY1305", "NULL"].contains { suite.name.contains($0) }
        for encryptsFirst in isBlocks ? [true, false] : [true] {
            var options = TLSPair.Options(versions: suite.version...suite.version)
            if suite.version == TLS1_3_VERSION {
                options.suites = suite.name
            } else {
                options.ciphers = suite.name
            }
            options.encryptsFirst = encryptsFirst
            let pair = try TLSPair(options)
            try pair.handshake()
            try pair.talk(sizes: [1, 16, 300])
            pair.isReadWhole()
            // A whole record and one more: how it is cut does not hang on the suite.
            try pair.send(Array(repeating: 0x61, count: 17_000), from: .server)
            pair.close()
            let reading = pair.isReadWhole(cuts: [.random(1)])
            #expect(reading.alerts == [.client: ["close_notify"], .server: ["close_notify"]])
        }
    }

    @Test func suitesAreMany() {
        #expect(Self.suites.count > 100)
        #expect(Self.suites.count { $0.version == TLS1_3_VERSION } == 5)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func helloSaysNameAndProtocols(version: CInt) throws {
        let pair = try TLSPair(
            .init(versions: version...version, alpn: ["h2", "http/1.1"], serverName: "login.example")
        )
        try pair.handshake()
        try pair.talk()
        let facts = try #require(pair.isReadWhole().facts.first)
        #expect(facts.serverName == "login.example")
        #expect(facts.offeredALPN == ["h2", "http/1.1"])
        #expect(facts.alpn == "http/1.1")
        #expect(!facts.isResumed && !facts.usesEarlyData && !facts.wantsClientCertificate)
        #expect(facts.clientRandom?.count == 64)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [true, false])
    func sessionIsTakenUpAgain(version: CInt, withTickets: Bool) throws {
        let contexts = try TLSPair.Contexts(.init(versions: version...version, withTickets: withTickets))
        let first = try TLSPair(contexts)
        try first.handshake()
        try first.talk()
        #expect(first.isReadWhole().facts.first?.isResumed == false)
        let session = first.session()
        first.close()
        let second = try TLSPair(contexts, session: session)
        SSL_SESSION_free(session)
        try second.handshake()
        try second.talk(seed: 2)
        #expect(SSL_session_reused(second.client) == 1)
        #expect(second.isReadWhole().facts.first?.isResumed == true)
    }

    @Test(arguments: [TLS1_1_VERSION, TLS1_2_VERSION], ["AES128-SHA", "ECDHE-RSA-AES256-SHA"])
    func renegotiatedKeysAreFollowed(version: CInt, cipher: String) throws {
        let pair = try TLSPair(.init(versions: version...version, ciphers: cipher))
        try pair.handshake()
        try pair.talk()
        try pair.renegotiate()
        try pair.talk(seed: 2)
        try pair.renegotiate()
        try pair.talk(seed: 3)
        #expect(
            pair.keyLog.split(separator: 0x0a).count { $0.starts(with: Array("CLIENT_RANDOM".utf8)) } >= 3
        )
        pair.isReadWhole()
    }

    /// As programs write it that are older than the extended master secret, which takes more than that.
    @Test(arguments: [TLS1_1_VERSION, TLS1_2_VERSION], [false, true])
    func premasterSecretOfAnRSAKeyExchangeIsEnough(version: CInt, extendsMasterSecret: Bool) throws {
        var options = TLSPair.Options(versions: version...version, ciphers: "AES128-SHA")
        options.extendsMasterSecret = extendsMasterSecret
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.talk()
        let reading = TLSReading(pair.wire, keys: pair.keys(of: "RSA"))
        if extendsMasterSecret {
            #expect(reading.plaintext == [.client: [], .server: []])
            #expect(reading.reasons.first?.text.hasPrefix("there is no key for it in the key log") == true)
        } else {
            #expect(reading.plaintext == pair.sent)
            #expect(reading.reasons.isEmpty)
        }
    }

    @Test(arguments: ["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])
    func updatedKeysAreFollowed(suite: String) throws {
        let pair = try TLSPair(.init(suites: suite))
        try pair.handshake()
        try pair.talk()
        for (round, side) in [Side.client, .client, .server, .client].enumerated() {
            try pair.updateKeys(side, requestsOther: round % 2 == 1)
            try pair.talk(seed: UInt64(round), sizes: [30, 4000])
        }
        pair.isReadWhole()
    }

    @Test func secondHelloIsReadAfterARetryRequest() throws {
        let pair = try TLSPair(
            .init(
                clientGroups: "X25519:P-521",
                serverGroups: "P-521",
                alpn: ["h2"],
                serverName: "login.example"
            )
        )
        try pair.handshake()
        try pair.talk()
        #expect(pair.wire.count { $0.side == .client } > 2)
        let facts = try #require(pair.isReadWhole().facts.first)
        #expect(facts.alpn == "h2" && facts.serverName == "login.example")
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [true, false])
    func certificateOfTheClientIsSeen(version: CInt, isShown: Bool) throws {
        let pair = try TLSPair(
            .init(versions: version...version, asksForCertificate: true, showsCertificate: isShown)
        )
        try pair.handshake()
        try pair.talk()
        let facts = try #require(pair.isReadWhole().facts.first)
        #expect(facts.wantsClientCertificate && facts.showsClientCertificate == isShown)
    }

    @Test func certificateIsAskedForAfterTheHandshake() throws {
        let pair = try TLSPair(.init(asksForCertificate: true, showsCertificate: true))
        // Not in the handshake itself.
        SSL_set_verify(pair.server, SSL_VERIFY_PEER | SSL_VERIFY_POST_HANDSHAKE) { _, _ in 1 }
        try pair.handshake()
        try pair.talk()
        try pair.askAgainForCertificate()
        try pair.talk(seed: 2)
        #expect(pair.isReadWhole().facts.first?.wantsClientCertificate == false)
        var stream = TLSStream()
        var reading = TLSReading()
        for (side, bytes) in pair.wire {
            bytes.withUnsafeBytes { stream.receive($0, from: side, keys: pair.keys, into: &reading) }
        }
        #expect(stream.facts.wantsClientCertificate && stream.facts.showsClientCertificate)
    }

    @Test(arguments: [1, 512, 4096])
    func paddingIsTakenOff(size: Int) throws {
        let pair = try TLSPair(.init(padding: size))
        try pair.handshake()
        try pair.talk()
        pair.isReadWhole()
    }

    /// Handshake messages go over many records.
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func messagesGoOverManyRecords(version: CInt) throws {
        let pair = try TLSPair(.init(versions: version...version, alpn: ["h2"], largestRecord: 512))
        try pair.handshake()
        try pair.talk()
        #expect(pair.isReadWhole().facts.first?.alpn == "h2")
    }

    // MARK: - Early data

    private func resumed(_ options: TLSPair.Options, then: TLSPair.Options? = nil) throws -> TLSPair {
        let contexts = try TLSPair.Contexts(options)
        let first = try TLSPair(contexts)
        try first.handshake()
        try first.talk(sizes: [10])
        let session = first.session()
        defer { SSL_SESSION_free(session) }
        first.close()
        return try TLSPair(then.map { try TLSPair.Contexts($0) } ?? contexts, session: session)
    }

    @Test(arguments: ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])
    func earlyDataIsRead(suite: String) throws {
        let pair = try resumed(.init(suites: suite, alpn: ["h2"], takesEarlyData: true))
        try pair.sendEarly(Array("early".utf8), isTaken: true)
        try pair.sendEarly(Array(repeating: 7, count: 16_000), isTaken: true)
        try pair.answerEarly(Array("answer".utf8))
        let answered = pair.wire.count
        try pair.handshake()
        try pair.talk()
        // All that the server says up to there in one piece, behind the early data.
        let flight = pair.wire[..<answered].filter { $0.side == .server }.flatMap(\.bytes)
        let joined =
            pair.wire[..<answered].filter { $0.side == .client } + [(side: .server, bytes: flight)]
            + pair.wire[answered...]
        #expect(TLSReading(Array(joined), keys: pair.keys).turns.first == .client)
        let facts = try #require(pair.isReadWhole().facts.first)
        #expect(facts.offersEarlyData && facts.usesEarlyData && facts.isResumed)
        #expect(facts.alpn == "h2")
    }

    @Test func rejectedEarlyDataIsNotThere() throws {
        // Another server, that cannot read the ticket.
        let pair = try resumed(.init(takesEarlyData: true), then: .init(takesEarlyData: false))
        try pair.sendEarly(Array("never read".utf8), isTaken: false)
        try pair.handshake()
        try pair.talk()
        let facts = try #require(pair.isReadWhole().facts.first)
        #expect(facts.offersEarlyData && !facts.usesEarlyData && !facts.isResumed)
    }

    /// `place`: among the protected records of the client: early data twice, then the Finished.
    @Test(arguments: [0, 1, 2])
    func recordsBehindAHoleInRejectedEarlyDataAreRead(place: Int) throws {
        let pair = try resumed(.init(takesEarlyData: true), then: .init(takesEarlyData: false))
        try pair.sendEarly(Array(repeating: 7, count: 500), isTaken: false)
        try pair.sendEarly(Array(repeating: 7, count: 500), isTaken: false)
        try pair.handshake()
        try pair.talk()
        var wire = TLSDamageTests.whole(records(pair.wire))
        let index = wire.indices.filter { wire[$0].side == .client && wire[$0].bytes[0] == 23 }[place]
        let record = wire[index].bytes
        wire[index].bytes = Array(record.prefix(20))
        wire.insert((.client, Array(record.dropFirst(25)), 5), at: index + 1)
        let reading = TLSDamageTests.read(wire, pair.keys)
        #expect(reading.plaintext[.client] == pair.sent[.client])
        #expect(reading.plaintext[.server] == pair.sent[.server])
    }

    @Test func moreThanEarlyDataCanBeIsNotPassedOverSilently() throws {
        let pair = try resumed(.init(takesEarlyData: true), then: .init(takesEarlyData: false))
        try pair.sendEarly(Array(repeating: 7, count: 500), isTaken: false)
        try pair.handshake()
        for _ in 0..<30 { try pair.send(Array(repeating: 9, count: 16_000), from: .client) }
        var wire = TLSDamageTests.whole(records(pair.wire))
        let finished = wire.indices.filter { wire[$0].side == .client && wire[$0].bytes[0] == 23 }[1]
        wire[finished].bytes[10] ^= 1
        let reading = TLSDamageTests.read(wire, pair.keys)
        // Behind what is passed over the next record is searched for, and found.
        #expect(reading.reasons.isEmpty)
        let sent = try #require(pair.sent[.client])
        let read = try #require(reading.plaintext[.client])
        #expect(!read.isEmpty && sent.suffix(read.count).elementsEqual(read))
        let lost = reading.lost[.client]?.reduce(0, +) ?? 0
        #expect(lost >= sent.count - read.count && lost < sent.count)
    }

    /// One record to an entry.
    private func records(_ wire: TLSDamageTests.Wire) -> TLSDamageTests.Wire {
        wire.flatMap { side, bytes in
            var records: TLSDamageTests.Wire = []
            var rest = bytes[...]
            while rest.count >= 5 {
                let size = 5 + (Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4]))
                records.append((side, Array(rest.prefix(size))))
                rest = rest.dropFirst(size)
            }
            return records
        }
    }

    /// Without so many of the client's first records: its hello, ChangeCipherSpec, and the early data itself.
    @Test(arguments: 1...3) func earlyDataBehindALostHelloIsRead(missing: Int) throws {
        let pair = try resumed(.init(takesEarlyData: true))
        try pair.sendEarly(Array("early".utf8), isTaken: true)
        try pair.answerEarly(Array("answer".utf8))
        try pair.handshake()
        try pair.talk(sizes: [10])
        let reading = TLSReading(Array(records(pair.wire).dropFirst(missing)), keys: pair.keys)
        let isThere = missing < 3
        #expect(reading.plaintext[.client] == pair.sent[.client]?.suffix(isThere ? 15 : 10))
        #expect(reading.plaintext[.server] == pair.sent[.server])
        #expect(reading.turns.first == (isThere ? .client : .server))
        // Of what is missing nothing tells how much it was.
        #expect(reading.reasons.isEmpty && reading.lost == (isThere ? [:] : [.client: [0]]))
        let facts = try #require(reading.facts.first)
        #expect(facts.offersEarlyData && facts.usesEarlyData && facts.isResumed)
    }

    @Test(arguments: 1...3) func rejectedEarlyDataBehindALostHelloIsNotThere(missing: Int) throws {
        let pair = try resumed(.init(takesEarlyData: true), then: .init(takesEarlyData: false))
        try pair.sendEarly(Array("never read".utf8), isTaken: false)
        try pair.handshake()
        try pair.talk(sizes: [10])
        let reading = TLSReading(Array(records(pair.wire).dropFirst(missing)), keys: pair.keys)
        for side in [Side.client, .server] { #expect(reading.plaintext[side] == pair.sent[side]) }
        #expect(reading.reasons.isEmpty && reading.lost.isEmpty)
        #expect(reading.facts.map(\.usesEarlyData) == [false])
    }

    @Test func earlyDataBeforeARetryRequestIsNotThere() throws {
        let pair = try resumed(
            .init(takesEarlyData: true),
            then: .init(clientGroups: "X25519:P-521", serverGroups: "P-521", takesEarlyData: true)
        )
        try pair.sendEarly(Array("never read".utf8), isTaken: false)
        try pair.handshake()
        try pair.talk()
        let facts = try #require(pair.isReadWhole().facts.first)
        #expect(facts.offersEarlyData && !facts.usesEarlyData)
    }
}
