import Flows
import OAuth

extension Flow {
    /// The logins of this flow, where a request that the provider's own pages sent once more is no second one, though
    /// they added something to it.
    var wholeLogins: [Login] {
        logins.reduce(into: [Login]()) { whole, login in
            guard let index = whole.firstIndex(where: { Self.isSame($0.request, login.request) }) else {
                return whole.append(login)
            }
            whole[index].response = whole[index].response ?? login.response
            whole[index].tokenRequests += login.tokenRequests
        }
    }

    /// Whether a client made both requests for one login: by values that it makes up for each.
    private static func isSame(_ left: AuthorizationRequest, _ right: AuthorizationRequest) -> Bool {
        let names = ["client_id", "redirect_uri", "state", "nonce", "code_challenge"]
        guard names.dropFirst(2).contains(where: { left.parameters[$0] != nil }) else { return false }
        return names.allSatisfy { left.parameters[$0] == right.parameters[$0] }
    }
}
