import JSON
import OAuth

extension ClientAuthentication {
    /// Whether the `client_id` of a request is another than that of its Basic credentials: a client proves that it is itself (RFC 6749,
    /// sections 2.3 and 3.2.1).
    ///
    /// The coding of the credentials makes no other client, nor does an empty parameter (section 3.2).
    func namesOtherClient(than parameters: Parameters) -> Bool {
        guard methods.contains(.secretBasic), let own = clientID,
            let named = parameters["client_id"], !named.isEmpty
        else { return false }
        return !own.value.equalsBytes(of: named) && !own.rawValue.equalsBytes(of: named)
    }
}
