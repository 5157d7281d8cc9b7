internal import Captures
internal import Wire

/// What goes through tunnels of a proxy: a connection of its own in each.
extension MessageReader {
    /// The connections in tunnels through this one.
    var tunnels: [ConnectionReader] { (tunnel.map { [$0] } ?? []) + streamTunnels.readers }

    /// Passes what was said in tunnels within HTTP/2 on to these.
    ///
    /// - Returns: the exchanges without those that have begun one: no messages of the login, as with HTTP/1.
    func passTunnels(_ exchanges: [Exchange], at time: Timestamp) -> [Exchange] {
        let pieces = conversation.takeTunnelled()
        guard !pieces.isEmpty else { return exchanges }
        var begun = streamTunnels.take(pieces, in: entry, at: time)
        return exchanges.filter { exchange in
            guard begun > 0, exchange.upgradedTo == "tunnel" else { return true }
            begun -= 1
            return false
        }
    }

    /// What comes next is said to whom the client asked its proxy for.
    func beginTunnel(for connect: Exchange) {
        beginTunnel(to: connect.request.url.authority ?? "", at: connect.startedAt)
    }

    private func beginTunnel(to authority: String, at time: Timestamp, isWhole: Bool = true) {
        state = .tunnel
        let inner = ConnectionEntry(in: entry, to: authority, at: time)
        tunnel = ConnectionReader(reading, inner, isWhole: isWhole, depth: depth + 1)
    }

    /// Takes what a client says whose request for a tunnel is missing, or the answer to it: who begins TLS has got one, as has who sends
    /// its records within those of another.
    func isInTunnel(_ bytes: UnsafeRawBufferPointer, _ time: Timestamp) -> Bool {
        let connect = unansweredConnect
        unansweredConnect = nil
        let isHello = FirstBytes(bytes) == .tls && FirstBytes.sender(of: bytes) == .client
        let isInTheMiddle =
            !isHello && connect == nil && scheme == "https" && FirstBytes.isRecord(bytes)
        guard depth < Self.deepest, isHello || isInTheMiddle else {
            if let connect { reading.finish(connect) }
            return false
        }
        if let connect {
            beginTunnel(for: connect)
        } else {
            // Who is refused for want of credentials asks for the same again.
            let authority = refusedTunnel ?? "\(entry.host):\(entry.port)"
            beginTunnel(to: authority, at: time, isWhole: isHello)
        }
        tunnel?.received(bytes, from: .client, at: time)
        return true
    }
}
