/// The ClientHellos of a capture that could be seen: what a key log has besides may be of one that was encrypted within another
/// (RFC 9849).
final class SeenHellos {
    /// More are not kept; the first ones stay.
    private static let most = 50_000

    /// Each by its ``TLSRandom/shortened``.
    private var randoms: Set<UInt64> = []
    /// How many secrets may still be tried on connections that have none of their own, over all of them.
    private var trials = 16_384
    /// How many records may be tried to be opened on connections whose beginning is not in the capture.
    private var trialsInTheMiddle = 1 << 18

    /// A ClientHello with this random was seen.
    func note(_ random: TLSRandom) { if randoms.count < Self.most { randoms.insert(random.shortened) } }

    /// Whether a key log has the secrets of a random for a hello that was seen: they are of no other connection.
    func contains(_ random: TLSRandom) -> Bool { randoms.contains(random.shortened) }

    /// Whether a secret may be tried with a number on a connection that has no hello.
    func takeTrialInTheMiddle() -> Bool {
        trialsInTheMiddle -= 1
        return trialsInTheMiddle >= 0
    }

    /// Whether a secret may be tried.
    func takeTrial() -> Bool {
        trials -= 1
        return trials >= 0
    }
}
