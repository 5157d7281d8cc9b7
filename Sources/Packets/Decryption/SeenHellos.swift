/// The ClientHellos of a capture that could be seen: what a key log has besides may be of one that was encrypted within another
/// (RFC 9849).
final class SeenHellos {
    /// More are not kept; the first ones stay.
    private static let most = 50_000

    /// The connections of a key log that have a secret of a kind and whose hello was not seen, as far as that was looked at.
    private struct Unseen {
        var randoms: [TLSRandom] = []
        /// How many of the log were looked at, and how many hellos had been seen by then.
        var connections = 0
        var hellos = 0
    }

    /// Each by its ``TLSRandom/shortened``.
    private var randoms: Set<UInt64> = []
    private var unseen: [TLSKeyLog.Label: Unseen] = [:]
    /// How many secrets may still be tried on connections that have none of their own, over all of them.
    private var trials = 16_384
    /// How many records may be tried to be opened on connections whose beginning is not in the capture.
    private var trialsInTheMiddle = 1 << 21
    /// By server: of how many connections to it nothing was found that is theirs, since one that had something.
    private var ownerless: [String: Int] = [:]
    private static let mostServers = 4096

    /// A ClientHello with this random was seen.
    func note(_ random: TLSRandom) { if randoms.count < Self.most { randoms.insert(random.shortened) } }

    /// Whether a key log has the secrets of a random for a hello that was seen: they are of no other connection.
    func contains(_ random: TLSRandom) -> Bool { randoms.contains(random.shortened) }

    /// The connections of a key log that have a secret of this kind and whose hello was not seen, in the order of its lines.
    ///
    /// `keys`: the same ones each time, or with more lines: what was seen is not looked at again.
    func unseen(_ label: TLSKeyLog.Label, in keys: TLSKeyLog) -> [TLSRandom] {
        let all = keys.connections(with: label)
        // Taken out meanwhile, as it is changed in its place then.
        var rest = unseen.removeValue(forKey: label) ?? Unseen()
        if rest.hellos < randoms.count { rest.randoms.removeAll(where: contains) }
        rest.randoms += all.dropFirst(rest.connections).lazy.filter { !self.contains($0) }
        (rest.connections, rest.hellos) = (all.count, randoms.count)
        unseen[label] = rest
        return rest.randoms
    }

    /// Whether any may be.
    var mayTryInTheMiddle: Bool { trialsInTheMiddle > 0 }

    /// How often a secret may be tried with a number on a connection that has no hello.
    ///
    /// No connection takes all of them: most may have no key at all. Those to one server mostly have keys, or have none, as an app's to its
    /// database: of these the first costs most.
    func trialsInTheMiddle(of server: String) -> Int {
        trialsInTheMiddle / 16 >> min(6, ownerless[server] ?? 0)
    }

    /// So many were needed.
    func tookTrialsInTheMiddle(_ count: Int) { trialsInTheMiddle -= count }

    /// Nothing was found that is a connection's own.
    func foundNothing(of server: String) {
        guard ownerless.count < Self.mostServers || ownerless[server] != nil else { return }
        ownerless[server, default: 0] += 1
    }

    /// What is a connection's own was found.
    func foundOwner(of server: String) { ownerless[server] = nil }

    /// Whether any secret may be tried.
    var mayTry: Bool { trials > 0 }

    /// Whether a secret may be tried.
    func takeTrial() -> Bool {
        trials -= 1
        return trials >= 0
    }
}
