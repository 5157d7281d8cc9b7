/// A certificate of ours, or what is left of it, in a store.
struct TrustHolding: Hashable {
    /// Of its certificate; nil where that cannot be told.
    var fingerprint: String?
    /// What the store calls it: a path, a nickname, an alias.
    var name: String
    /// Whether the store vouches for it: false after an interrupted change.
    var isTrusted: Bool

    /// Whether its name is one that only we give.
    var hasOurName: Bool {
        name.split(separator: "/").last?.contains(AuthorityIdentity.prefix) == true
            || name.hasPrefix("authreel ")
    }

    /// Whether it is, or by its name has to be, of this authority.
    func isOf(_ identity: AuthorityIdentity) -> Bool {
        fingerprint.map { $0 == identity.fingerprint } ?? name.contains(identity.short)
    }
}
