import Flows
import JSON
import OAuth

extension Flow {
    /// The client that a call names.
    ///
    /// That of the login, where Basic credentials name it as they stand and another one form-decoded: not every client encodes them,
    /// and not every provider decodes them (RFC 6749, section 2.3.1).
    func client(named authentication: ClientAuthentication) -> String? {
        let sent = authentication.clientID
        guard let clientID, authentication.methods.contains(.secretBasic), let sent,
            sent.rawValue.equalsBytes(of: clientID)
        else { return sent?.value }
        return clientID
    }
}
