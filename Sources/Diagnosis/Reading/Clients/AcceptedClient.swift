import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A client that the token endpoint let in before, by the very credentials that it refuses now.
enum AcceptedClient {
    /// The grant that the client got before; nil where there is none, or where the credentials may be others.
    static func grant(before refused: ClientCall, among calls: [ClientCall], in flow: Flow) -> Evidence? {
        // A 401 by itself may be of the code or the refresh token.
        guard refused.kind == .token, let client = refused.authentication.clientID,
            ["invalid_client", "unauthorized_client"].contains(refused.answer.error?.standardName)
        else { return nil }
        let methods = refused.authentication.methods
        let secret = refused.authentication.secret?.value
        // An assertion is another one each time, and a certificate does not show.
        let isSecretKnown = secret.map { !Placeholder.isOne($0) } ?? false
        let isPublic =
            methods == [.none] && !flow.surroundings.mayLackCredentials(at: refused.exchange)
            && !MutualTLS.isNamed(by: refused.endpoint)
            && !MutualTLS.isRegistered(refused, in: flow)
        guard isPublic || isSecretKnown && !methods.contains(.assertion) else { return nil }
        let earlier = calls.prefix { $0.exchange != refused.exchange }.last { call in
            call.kind == .token && call.answer.isSuccess && call.authentication.methods == methods
                && call.endpoint.text.equalsBytes(of: refused.endpoint.text)
                && call.authentication.clientID?.value.equalsBytes(of: client.value) ?? false
                && call.authentication.secret.map { $0.value.equalsBytes(of: secret) } ?? (secret == nil)
        }
        return earlier.map {
            $0.answer.statusEvidence(
                note: isPublic
                    ? "the same client, by its client_id" : "the same client, by the same credentials"
            )
        }
    }

    static let words = Violation.Words(
        title: "The provider let this client in before, and refuses it now",
        explanation: """
            The same client got tokens at this very endpoint before, by the same credentials, so these are not mistyped. Since then its registration was dropped or \
            changed, or it is another grant that this way of authenticating is not enough for. Servers that register every client often keep them in memory alone, \
            and know none of them after a restart.
            """,
        fix: """
            A client that registers itself takes this answer as the end of its registration: let it drop the client_id that it has stored, and its tokens, and register \
            anew; have the provider keep registrations. Of a client that somebody registered, look whether it was deleted or disabled, and whether its secret was \
            changed.
            """
    )
}
