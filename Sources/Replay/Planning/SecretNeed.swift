package import JOSE

/// A value that has to be given.
package struct SecretNeed: Sendable, Hashable {
    /// The parameter's name; `client_key` for a private key.
    package var name: String
    /// What it is for, in words.
    package var purpose: String
    /// Whether the capture has a value that can be used.
    package var isRecorded: Bool
    /// Of the signatures that a key makes.
    package var algorithm: SignatureAlgorithm?
}
