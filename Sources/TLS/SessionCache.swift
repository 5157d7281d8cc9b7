internal import COpenSSL
internal import LibCrypto
internal import NIOCore
internal import Synchronization

/// The TLS sessions that servers gave to the connections of one context, for further connections to the same servers.
///
/// A session stands for a certificate that was verified then, for one name and in one context. So it is taken up for
/// exactly that name in that context only, for a few minutes, and not beyond the validity of that certificate.
/// Bounded: the servers that were asked for longest ago are forgotten first.
final class SessionCache: Sendable {
    /// What connections have to have in common.
    struct Key: Hashable, Sendable {
        /// `HOST:PORT`, as dialled.
        var endpoint: String
        var serverName: String
        var alpn: [String]
        /// Of the certificate that is shown where one is asked for; empty for none.
        var certificate: [UInt8] = []
    }

    /// A session and what its first connection found out about the server.
    struct Session: Sendable {
        let handle: SessionHandle
        /// Resumed or not, a certificate is looked at again after that.
        let deadline: NIODeadline
        /// Why the certificate would have been refused, had it been checked.
        let tolerated: CertificateProblem?
        let askedForCertificate: Bool
        let hasShownCertificate: Bool
    }

    /// How long a verification counts.
    static let lifetime = TimeAmount.minutes(10)
    static let maximumServers = 64
    /// Each ticket of TLS 1.3 is good for one connection, and several clients open some at once: a browser six of them.
    static let maximumSessionsOfServer = 32
    /// Servers put a few kilobytes into one at most, those with long chains of client certificates.
    static let maximumTicketBytes = 16_384

    private struct Server: Sendable {
        var sessions: [Session] = []
        var lastUse: UInt64 = 0
    }

    private struct State: Sendable {
        var servers: [Key: Server] = [:]
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A session for a new connection.
    ///
    /// One of TLS 1.3 is gone from here then: who saw it used twice could tell that it was the same client (RFC 8446,
    /// appendix C.4). One of TLS 1.2 stays.
    func session(for key: Key, now: NIODeadline) -> Session? {
        state.withLock { state in
            guard var server = state.servers[key] else { return nil }
            state.uses += 1
            server.lastUse = state.uses
            defer { state.servers[key] = server.sessions.isEmpty ? nil : server }
            while let session = server.sessions.popLast() {
                guard session.deadline > now, session.handle.isResumable else { continue }
                if !session.handle.isForOneUse { server.sessions.append(session) }
                return session
            }
            return nil
        }
    }

    func keep(_ session: Session, for key: Key) {
        guard session.handle.ticketBytes <= Self.maximumTicketBytes else { return }
        state.withLock { state in
            state.uses += 1
            var server = state.servers[key] ?? Server()
            server.lastUse = state.uses
            // With TLS 1.2 every full handshake gives another one: the newest will do.
            if !session.handle.isForOneUse { server.sessions = [] }
            server.sessions.append(session)
            if server.sessions.count > Self.maximumSessionsOfServer { server.sessions.removeFirst() }
            state.servers[key] = server
            guard state.servers.count > Self.maximumServers else { return }
            if let oldest = state.servers.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                state.servers[oldest.key] = nil
            }
        }
    }

    /// Forgets the sessions of a server that did not go on with one.
    func forget(_ key: Key) { state.withLock { $0.servers[key] = nil } }
}

/// A session as OpenSSL has it.
///
/// `@unchecked Sendable`: OpenSSL counts its references atomically, and connections that share one only read it.
final class SessionHandle: @unchecked Sendable {
    /// The `SSL_SESSION *`, borrowed.
    let pointer: OpaquePointer

    /// Takes over one reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { SSL_SESSION_free(pointer) }

    /// Not after a connection that used it has ended by a fatal alert.
    var isResumable: Bool { SSL_SESSION_is_resumable(pointer) == 1 }

    var isForOneUse: Bool { SSL_SESSION_get_protocol_version(pointer) == TLS1_3_VERSION }

    var ticketBytes: Int { ar_tls_session_ticket_length(pointer) }

    /// Seconds since the epoch at which the server gave it.
    var givenAt: Int64 { Int64(SSL_SESSION_get_time(pointer)) }
}
