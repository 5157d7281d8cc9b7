/// The sessions of TLS 1.2 and before that were seen to begin: a connection that goes on with one has its master secret (RFC 5246,
/// section 7.3; RFC 5077).
///
/// Who writes keys down at the first handshake only leaves the later ones to be found by this. One for all connections of a
/// capture; a reference, as they share it.
package final class TLSSessions {
    /// More are not kept; the first ones stay.
    private static let most = 50_000
    private static let longestName = 4096

    /// By session ID or ticket: the client random under which key logs have the secret.
    private var randoms: [[UInt8]: TLSRandom] = [:]
    /// By the client random of their first connection: master secrets that key logs do not have themselves.
    private var masters: [TLSRandom: [UInt8]] = [:]
    /// What else the connections of a capture have to know of each other.
    let hellos = SeenHellos()

    /// No session is known.
    package init() {}

    /// A session got this ID, or this ticket.
    func add(_ name: some Collection<UInt8>, of random: TLSRandom) {
        guard !name.isEmpty, name.count <= Self.longestName, randoms.count < Self.most else { return }
        randoms[Array(name)] = random
    }

    /// The client random of the session's first connection.
    func random(of name: [UInt8]) -> TLSRandom? { name.isEmpty ? nil : randoms[name] }

    /// The session that this connection began has this master secret.
    func add(master secret: [UInt8], of random: TLSRandom) {
        if masters.count < Self.most { masters[random] = secret }
    }

    /// The master secret of the session that this connection began, where one was added.
    func master(of random: TLSRandom) -> [UInt8]? { masters[random] }
}
