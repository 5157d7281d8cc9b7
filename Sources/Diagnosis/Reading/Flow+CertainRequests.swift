import Flows
import OAuth

extension Flow {
    /// Token requests of a login that are certain to carry its code: a capture that shows another code in the
    /// response proves the contrary.
    func certainTokenRequests(of login: Login) -> [TokenRequest] {
        login.tokenRequests.filter { isCertain($0, of: login) }
    }

    /// The same of one of its token requests.
    func isCertain(_ request: TokenRequest, of login: Login) -> Bool {
        guard request.isRecorded else { return false }
        if let code = login.response?.code { return request.code == code }
        return login.response == nil && askedLogins.count == 1
    }

    /// Whether a token request was saved without its body, so that nobody knows what it asked for.
    var hasUnsavedTokenRequest: Bool { tokenRequests.contains { !$0.isRecorded } }

    /// Every token request with the login whose code it is certain to carry.
    var redemptions: [(login: Login, request: TokenRequest)] {
        askedLogins.flatMap { login in certainTokenRequests(of: login).map { (login, $0) } }
    }
}
