/// Hellos of which key logs have the secrets and that nobody saw.
extension TLSStream {
    /// Connections of the key log that are tried on one.
    private static let mostInnerHellos = 1024

    /// Of a hello that was encrypted within another one, key logs have the random, and it is seen nowhere, as is that of one which the
    /// capture lacks: what opens the first protected record is of this connection (RFC 9849, section 6.1).
    mutating func findInnerHello(
        _ record: UnsafeRawBufferPointer,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog
    ) {
        let hellos = sessions.hellos
        let trials = innerTrials
        let share = hellos[keyPath: trials].share(of: peer) - handshake.innerTrials
        guard share > 0, mayHoldInnerHello(direction, keys) else { return }
        let unseen = Array(innerHellos(of: direction, keys))
        let likely = Self.mostLikely(unseen, min(share, Self.mostInnerHellos))
        let isFirst = handshake.innerTrials == 0 && !likely.isEmpty
        buffer.reserve(record.count)
        for inner in likely {
            hellos[keyPath: trials].take(1)
            handshake.innerTrials += 1
            direction.triedHellos.insert(inner.shortened)
            guard
                let protection = protection(ofHello: inner, direction, keys),
                protection.open(record, number: 0, into: buffer.start) != nil
            else { continue }
            handshake.clientRandom = inner
            handshake.legacy?.clientRandom = inner
            hellos.note(inner)
            hellos[keyPath: trials].foundOwner(of: peer)
            // The name that was seen is of the server that many others are behind.
            facts.serverName = nil
            return
        }
        // Its keys may come yet where somebody listens.
        if isFirst, mostHeldForKeys == 0 { hellos[keyPath: trials].foundNothing(of: peer) }
    }

    /// A hello that is missing is surely one of those that nobody saw; what browsers send looks as if there were another one within it, and
    /// mostly is not.
    private var innerTrials: ReferenceWritableKeyPath<SeenHellos, TrialPool> {
        handshake.clientRandom == TLSRandom.unseen ? \.behindLostHellos : \.withinHellos
    }

    /// Whether there are secrets that have not been tried.
    func mayFindInnerHello(_ direction: TLSDirection, _ keys: TLSKeyLog) -> Bool {
        sessions.hellos[keyPath: innerTrials].isOpen && mayHoldInnerHello(direction, keys)
            && innerHellos(of: direction, keys).contains { _ in true }
    }

    /// What a direction's first records are protected with if the client's hello had this random.
    private func protection(ofHello random: TLSRandom, _ direction: TLSDirection, _ keys: TLSKeyLog)
        -> TLSRecordProtection?
    {
        guard let suite = handshake.suite,
            let secret = keys.secret(Self.label(direction.epoch, direction.side), for: random)
        else { return nil }
        guard direction.epoch == .legacy else { return TLSKeySchedule.protection(of: suite, secret: secret) }
        guard var legacy = handshake.legacy else { return nil }
        legacy.clientRandom = random
        return TLSKeySchedule.protection(of: legacy, master: secret, for: direction.side)
    }

    private func mayHoldInnerHello(_ direction: TLSDirection, _ keys: TLSKeyLog) -> Bool {
        guard direction.number == 0, handshake.suite != nil, handshake.obstacle == nil,
            let random = handshake.clientRandom,
            direction.epoch == .handshake || direction.epoch == .legacy && random == TLSRandom.unseen
        else { return false }
        return !keys.hasSecrets(for: random)
    }

    /// Hellos that nobody saw, of which there are secrets that have not been tried.
    private func innerHellos(of direction: TLSDirection, _ keys: TLSKeyLog) -> some Sequence<TLSRandom> {
        sessions.hellos.unseen(Self.label(direction.epoch, direction.side), in: keys).lazy.filter {
            !direction.triedHellos.contains($0.shortened)
        }
    }
}
