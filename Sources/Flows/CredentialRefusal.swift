package import Captures
import JSON
package import OAuth

/// What an issuer says to a request for a credential that it does not answer with one (OpenID for Verifiable Credential Issuance,
/// section 8.3.1).
///
/// To a wallet the credential is what it asked for a token for: without it the flow came to nothing.
package enum CredentialRefusal {
    /// Whether an answer is one, by its error and by what was asked for.
    package static func isOne(_ answer: Answer, in capture: Capture) -> Bool {
        guard answer.isRefusal, let error = answer.json?["error"]?.string, errors.contains(error),
            let object = JSONBody.object(of: capture[answer.exchange].request.body, below: largest)
        else { return false }
        return members.contains { object[$0] != nil }
    }

    /// In bytes.
    private static let largest = 1 << 20

    /// Those of its drafts included.
    private static let errors: Set<String> = [
        "invalid_credential_request", "unknown_credential_configuration", "unknown_credential_identifier",
        "invalid_proof", "invalid_nonce", "invalid_encryption_parameters", "credential_request_denied",
        "unsupported_credential_type", "unsupported_credential_format", "invalid_or_missing_proof",
    ]

    private static let members = [
        "credential_configuration_id", "credential_identifier", "proof", "proofs", "format",
    ]
}
