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
    private var trialsInTheMiddle = 1 << 18

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

    /// How often a secret may be tried with a number on a connection that has no hello; 0 where it is not worth the beginning.
    ///
    /// No connection takes all of them: most may have no key at all.
    var trialsOfOneInTheMiddle: Int { trialsInTheMiddle < 2048 ? 0 : trialsInTheMiddle / 8 }

    /// So many were needed.
    func takeTrialsInTheMiddle(_ count: Int) { trialsInTheMiddle -= count }

    /// Whether any secret may be tried.
    var mayTry: Bool { trials > 0 }

    /// Whether a secret may be tried.
    func takeTrial() -> Bool {
        trials -= 1
        return trials >= 0
    }
}
