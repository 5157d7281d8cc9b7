import COpenSSL
import Foundation
import LibCrypto
import Packets
import TestSupport
import Wire

/// Two ends of libssl in memory, what went between them in its order, and the key log.
final class TLSPair {
    struct Options {
        var versions = TLS1_2_VERSION...TLS1_3_VERSION
        /// OpenSSL's names; of TLS 1.2 and before.
        var ciphers: String?
        var suites: String?
        var clientGroups: String?
        var serverGroups: String?
        var alpn: [String] = []
        var serverName: String?
        var withTickets = true
        var encryptsFirst = true
        var extendsMasterSecret = true
        var asksForCertificate = false
        var showsCertificate = false
        /// The client trusts nobody.
        var rejectsServer = false
        /// The server wants a certificate of the client, besides asking.
        var requiresCertificate = false
        var takesEarlyData = false
        /// Records are filled up to a multiple of so many bytes (TLS 1.3).
        var padding = 0
        /// Cuts what is written into records of at most so many bytes.
        var largestRecord = 0
    }

    struct Failure: Error { var what: String }

    private(set) var wire: [(side: Side, bytes: [UInt8])] = []
    private(set) var sent: [Side: [UInt8]] = [.client: [], .server: []]
    private(set) var keyLog: [UInt8] = []
    let client: OpaquePointer
    let server: OpaquePointer
    private let contexts: Contexts

    /// What several connections share, so that a session of one is known to the next.
    final class Contexts {
        let client: OpaquePointer
        let server: OpaquePointer
        let options: Options

        init(_ options: Options) throws {
            guard let client = SSL_CTX_new(TLS_client_method()), let server = SSL_CTX_new(TLS_server_method())
            else {
                throw Failure(what: "no context")
            }
            self.client = client
            self.server = server
            self.options = options
            for context in [client, server] { try limit(context) }
            SSL_CTX_ctrl(server, SSL_CTRL_SET_DH_AUTO, 1, nil)
            SSL_CTX_set_session_id_context(server, [1], 1)
            setCertificates()
            if options.takesEarlyData { SSL_CTX_set_max_early_data(server, 100_000) }
            if !options.alpn.isEmpty { offerProtocols() }
            if options.ciphers?.contains("PSK") == true { sharePreSharedKey() }
            ERR_clear_error()
        }

        /// What one end takes part in, and that its keys are logged.
        private func limit(_ context: OpaquePointer) throws {
            SSL_CTX_set_security_level(context, 0)
            guard
                ar_tls_ctx_set_versions(context, options.versions.lowerBound, options.versions.upperBound)
                    == 1,
                options.ciphers.map({ SSL_CTX_set_cipher_list(context, $0 + ":@SECLEVEL=0") == 1 }) ?? true,
                options.suites.map({ SSL_CTX_set_ciphersuites(context, $0) == 1 }) ?? true
            else { throw Failure(what: "no such versions or ciphers: \(options)") }
            // SSL_OP_ALLOW_CLIENT_RENEGOTIATION, SSL_OP_NO_ANTI_REPLAY, SSL_OP_DONT_INSERT_EMPTY_FRAGMENTS off.
            var bits: UInt64 = 1 << 8 | 1 << 24
            if !options.withTickets { bits |= 1 << 14 }
            if !options.encryptsFirst { bits |= 1 << 19 }
            // SSL_OP_NO_EXTENDED_MASTER_SECRET.
            if !options.extendsMasterSecret { bits |= 1 }
            SSL_CTX_set_options(context, bits)
            SSL_CTX_set_keylog_callback(context) { ssl, line in
                guard let owner = ar_tls_owner(ssl), let line else { return }
                let pair = Unmanaged<TLSPair>.fromOpaque(owner).takeUnretainedValue()
                pair.keyLog += Array(String(cString: line).utf8) + [0x0a]
            }
            if options.padding > 0 { SSL_CTX_set_block_padding(context, options.padding) }
            if options.largestRecord > 0 {
                SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_SEND_FRAGMENT, options.largestRecord, nil)
            }
        }

        /// Those that the ends show, and what they want of each other's.
        private func setCertificates() {
            for (key, certificate) in Self.certificates {
                SSL_CTX_use_certificate(server, certificate.pointer)
                SSL_CTX_use_PrivateKey(server, key.pointer)
            }
            if options.showsCertificate, let (key, certificate) = Self.certificates.first {
                SSL_CTX_use_certificate(client, certificate.pointer)
                SSL_CTX_use_PrivateKey(client, key.pointer)
            }
            if options.asksForCertificate {
                SSL_CTX_set_verify(server, SSL_VERIFY_PEER) { _, _ in 1 }
                SSL_CTX_set_post_handshake_auth(client, 1)
            }
            if options.rejectsServer { SSL_CTX_set_verify(client, SSL_VERIFY_PEER, nil) }
            if options.requiresCertificate {
                SSL_CTX_set_verify(server, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
            }
        }

        /// The server takes the last one that is offered.
        private func offerProtocols() {
            let wire = options.alpn.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            SSL_CTX_set_alpn_protos(client, wire, UInt32(wire.count))
            let select: SSL_CTX_alpn_select_cb_func = { _, out, outLength, offered, length, _ in
                guard let offered else { return SSL_TLSEXT_ERR_NOACK }
                var place = 0
                while place + 1 + Int(offered[place]) < Int(length) { place += 1 + Int(offered[place]) }
                out?.pointee = offered + place + 1
                outLength?.pointee = offered[place]
                return SSL_TLSEXT_ERR_OK
            }
            SSL_CTX_set_alpn_select_cb(server, select, nil)
        }

        /// Not without need: with these callbacks libssl takes no ticket of TLS 1.3.
        private func sharePreSharedKey() {
            SSL_CTX_set_psk_client_callback(client) { _, _, identity, _, key, _ in
                identity?.pointee = 0x61
                identity?[1] = 0
                for index in 0..<16 { key?[index] = UInt8(index) }
                return 16
            }
            SSL_CTX_set_psk_server_callback(server) { _, _, key, _ in
                for index in 0..<16 { key?[index] = UInt8(index) }
                return 16
            }
        }

        deinit {
            SSL_CTX_free(client)
            SSL_CTX_free(server)
        }

        /// One of RSA, one of elliptic curves.
        private static let certificates: [(PrivateKey, Certificate)] = {
            let validity = CertificateIssuer.Validity(notBefore: 1_700_000_000, notAfter: 4_000_000_000)
            let kinds: [PrivateKey.Kind] = [.rsa(bits: 2048), .elliptic(.p256)]
            return kinds.compactMap { kind in
                guard let issuerKey = try? PrivateKey.generate(.elliptic(.p256)),
                    let root = try? CertificateIssuer.authority(
                        commonName: "test",
                        key: issuerKey,
                        validity: validity
                    ), let issuer = try? CertificateIssuer(certificate: root, key: issuerKey),
                    let key = try? PrivateKey.generate(kind),
                    let certificate = try? issuer.leaf(
                        for: .host("login.example"),
                        key: key,
                        validity: validity
                    )
                else { return nil }
                return (key, certificate)
            }
        }()
    }

    typealias SSL_CTX_alpn_select_cb_func =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
        ) -> CInt

    convenience init(_ options: Options = Options()) throws { try self.init(Contexts(options)) }

    /// A connection that goes on with `session` (`SSL_SESSION *`) where there is one.
    init(_ contexts: Contexts, session: OpaquePointer? = nil) throws {
        guard let client = SSL_new(contexts.client), let server = SSL_new(contexts.server) else {
            throw Failure(what: "no connection")
        }
        self.client = client
        self.server = server
        self.contexts = contexts
        let options = contexts.options
        for ssl in [client, server] {
            SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
            ar_tls_set_owner(ssl, Unmanaged.passUnretained(self).toOpaque())
        }
        SSL_set_connect_state(client)
        SSL_set_accept_state(server)
        if let session { SSL_set_session(client, session) }
        if let name = options.serverName { ar_tls_set_server_name(client, name) }
        for (ssl, groups) in [(client, options.clientGroups), (server, options.serverGroups)] {
            guard let groups else { continue }
            var text = groups.utf8CString.map { $0 }
            // SSL_set1_groups_list is a macro.
            guard SSL_ctrl(ssl, SSL_CTRL_SET_GROUPS_LIST, 0, &text) == 1 else {
                throw Failure(what: "no such groups: \(groups)")
            }
        }
    }

    deinit {
        SSL_free(client)
        SSL_free(server)
    }

    // MARK: - What the ends do

    /// Both ends, until both are done.
    func handshake() throws {
        var rounds = 0
        while rounds < 20 {
            rounds += 1
            let results = [client, server].map { ssl in
                let result = SSL_do_handshake(ssl)
                transfer()
                return result
            }
            if results == [1, 1] {
                // Tickets.
                _ = read(client)
                return
            }
        }
        throw Failure(what: "no handshake: \(Self.reason)")
    }

    func send(_ bytes: [UInt8], from side: Side) throws {
        guard !bytes.isEmpty else { return }
        let (from, to) = side == .client ? (client, server) : (server, client)
        guard SSL_write(from, bytes, Int32(bytes.count)) == bytes.count else {
            throw Failure(what: "not written: \(Self.reason)")
        }
        sent[side, default: []] += bytes
        transfer()
        let got = read(to)
        guard got == bytes else { throw Failure(what: "\(got.count) bytes arrived of \(bytes.count)") }
        transfer()
    }

    /// Client and server say this and that, in records of many sizes.
    func talk(seed: UInt64 = 1, sizes: [Int] = [1, 16, 300, 17_000]) throws {
        var random = SeededGenerator(seed: seed)
        for size in sizes {
            for side in [Side.client, .server] {
                try send((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }, from: side)
            }
        }
    }

    func updateKeys(_ side: Side, requestsOther: Bool) throws {
        let ssl = side == .client ? client : server
        guard SSL_key_update(ssl, requestsOther ? 1 : 0) == 1, SSL_do_handshake(ssl) == 1 else {
            throw Failure(what: "no update: \(Self.reason)")
        }
        transfer()
        _ = read(side == .client ? server : client)
        transfer()
    }

    func renegotiate() throws {
        guard SSL_renegotiate(client) == 1 else { throw Failure(what: "no renegotiation: \(Self.reason)") }
        for _ in 0..<10 {
            _ = SSL_do_handshake(client)
            transfer()
            _ = read(server)
            transfer()
            _ = read(client)
            transfer()
        }
        guard SSL_renegotiate_pending(client) == 0 else {
            throw Failure(what: "still renegotiating: \(Self.reason)")
        }
    }

    func askAgainForCertificate() throws {
        guard SSL_verify_client_post_handshake(server) == 1, SSL_do_handshake(server) == 1 else {
            throw Failure(what: "not asked: \(Self.reason)")
        }
        transfer()
        _ = read(client)
        transfer()
        _ = read(server)
        transfer()
    }

    /// A request for each path from the client, and an answer that is the path.
    func exchange(_ paths: [String]) throws {
        for path in paths {
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)"
            try send(Array("GET /\(path) HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8), from: .client)
            try send(Array(answer.utf8), from: .server)
        }
    }

    /// Sends early data; `isTaken` is whether the server reads it (it is resumed, and asks for it).
    func sendEarly(_ bytes: [UInt8], isTaken: Bool) throws {
        var written = 0
        guard SSL_write_early_data(client, bytes, bytes.count, &written) == 1 else {
            throw Failure(what: "no early data: \(Self.reason)")
        }
        transfer()
        guard isTaken else { return }
        sent[.client, default: []] += bytes
        var got: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 20_000)
        while got.count < bytes.count {
            var count = 0
            let result = SSL_read_early_data(server, &buffer, buffer.count, &count)
            got += buffer.prefix(count)
            guard result == SSL_READ_EARLY_DATA_SUCCESS else { break }
        }
        guard got == bytes else { throw Failure(what: "\(got.count) bytes of early data arrived") }
        // The server's answer to early data goes out before the client's Finished.
        transfer()
    }

    /// Before the handshake has ended, to early data.
    func answerEarly(_ bytes: [UInt8]) throws {
        var written = 0
        guard SSL_write_early_data(server, bytes, bytes.count, &written) == 1 else {
            throw Failure(what: "no answer to early data: \(Self.reason)")
        }
        sent[.server, default: []] += bytes
        transfer()
    }

    func close() {
        SSL_shutdown(client)
        transfer()
        _ = read(server)
        SSL_shutdown(server)
        transfer()
    }

    /// A session to go on with; the caller frees it.
    func session() -> OpaquePointer? { SSL_get1_session(client) }

    var version: String { String(cString: SSL_get_version(client)) }
    var suite: String { String(cString: SSL_CIPHER_standard_name(SSL_get_current_cipher(client))) }

    // MARK: - Parts

    private func transfer() {
        for (from, to, side) in [(client, server, Side.client), (server, client, .server)] {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = BIO_read(SSL_get_wbio(from), &buffer, Int32(buffer.count))
                guard count > 0 else { break }
                BIO_write(SSL_get_rbio(to), buffer, count)
                wire.append((side, Array(buffer.prefix(Int(count)))))
            }
        }
    }

    @discardableResult
    private func read(_ ssl: OpaquePointer) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 15)
        while true {
            let count = SSL_read(ssl, &buffer, Int32(buffer.count))
            guard count > 0 else { break }
            all += buffer.prefix(Int(count))
        }
        return all
    }

    private static var reason: String {
        var texts: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            texts.append(ERR_reason_error_string(code).map { String(cString: $0) } ?? "\(code)")
        }
        return texts.joined(separator: ", ")
    }
}
