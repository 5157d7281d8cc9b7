package import JOSE

/// A token that travels in a step.
package struct StepToken: Sendable {
    /// The parameter or member that carries it.
    package var name: String
    /// What can be read of it: of an encrypted one that a key of the capture opens what is inside.
    package var token: JSONWebToken
    /// The encrypted token that it was inside; nil where it came as it is, or stayed closed.
    package var envelope: JSONWebToken?
    /// By the keys that the capture has of its issuer.
    package var signature: SignatureOutcome
    /// How that came out, one by one.
    package var checks: [TokenCheck]
}
