package import Captures
import OAuth

/// The answer by which a server asks for the same request once more, with its nonce in the DPoP proof (RFC 9449, sections 8 and 9).
package enum NonceChallenge {
    /// Whether an exchange was answered so, in the challenge or in the body.
    package static func isAnswer(to exchange: Exchange) -> Bool {
        guard let response = exchange.response, response.status == 400 || response.status == 401 else {
            return false
        }
        return response.headers.all("www-authenticate").contains { $0.containsBytes(error) }
            || Answer(of: exchange, at: 0).error?.error == error
    }

    private static let error = "use_dpop_nonce"
}
