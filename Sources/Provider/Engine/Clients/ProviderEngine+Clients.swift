import Captures
import OAuth

/// Clients at the endpoints that only they use.
extension ProviderEngine {
    /// A request that is not gone on with, and the answer to it.
    struct Refused: Error { var answer: BuiltAnswer }

    /// The client of a request to an endpoint that only clients use; an assertion by which it proves who it is, is used up then.
    mutating func authenticate(_ form: QueryItems, _ request: RecordedRequest, at role: Endpoints.Role)
        throws(Refused) -> ProviderConfiguration.Client
    {
        let authentication = ClientAuthentication(of: request, form)
        do throws(ClientAuthenticator.Failure) {
            let (client, assertion) = try ClientAuthenticator(clients, state.issued, context)
                .client(of: authentication, form, at: role)
            if let assertion, !state.usedIdentifiers.use(assertion) {
                throw ClientAuthenticator.Failure(refusal: .clientAssertionUsed)
            }
            return client
        } catch {
            let isTold = error.isChallenged && authentication.methods.contains(.secretBasic)
            let challenge = isTold ? [("WWW-Authenticate", "Basic realm=\"token\"")] : []
            throw Refused(answer: refuse(error.refusal, at: role, headers: challenge, error.words))
        }
    }
}
