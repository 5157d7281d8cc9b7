package import OAuth

/// A code challenge of the recording.
package struct PlannedChallenge: Sendable {
    package var challenge: String
    /// The verifier that it belongs to; nil where the recording has none that fits.
    package var verifier: String?
    /// How it is made of a verifier.
    package var making: ChallengeMaking
}
