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
    /// How often secrets are tried on the first record of connections whose hello may be within another, and of those that have none.
    var withinHellos = TrialPool(1 << 17, mostOfOne: 1024)
    var behindLostHellos = TrialPool(1 << 17, mostOfOne: 1024)
    /// The same on connections whose beginning is not in the capture, with each number that a record may have.
    var inTheMiddle = TrialPool(1 << 20)

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
}
