/// The nonces that clients were given for their DPoP proofs (RFC 9449, section 8).
///
/// Any of them is taken, from any client and more than once: `jti` tells one proof from the next.
struct ProofNonces: Sendable {
    private var given = LimitedTable<Bool>()

    /// Remembers one that a client is told.
    mutating func give(_ nonce: String) { given[nonce] = true }

    /// Whether a proof has one that was given; false of a proof without.
    func accepts(_ nonce: String?) -> Bool { nonce.map { given[$0] != nil } ?? false }
}
