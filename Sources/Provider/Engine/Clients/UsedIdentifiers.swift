import OAuth

/// The `jti` of client assertions and DPoP proofs that were taken: each is taken once (RFC 7523, section 3; RFC 9449, section 11.1).
struct UsedIdentifiers: Sendable {
    private var used = LimitedTable<Bool>(limit: 100_000)

    /// Whether an assertion is used for the first time; one without `jti` cannot be told from another.
    mutating func use(_ assertion: ClientAssertion) -> Bool {
        assertion.identifier == nil || use("assertion " + assertion.key)
    }

    /// Whether a proof is used for the first time.
    mutating func use(_ proof: DPoPProof) -> Bool { proof.identifier.map { use("proof " + $0) } ?? true }

    private mutating func use(_ key: String) -> Bool {
        guard used[key] == nil else { return false }
        used[key] = true
        return true
    }
}
