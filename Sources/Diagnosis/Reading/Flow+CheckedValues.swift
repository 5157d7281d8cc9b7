import Captures
import Flows
import JSON
import OAuth

extension Flow {
    /// What was looked at in a refused exchange of a code and found right, for a note; nil where that is nothing.
    func checkedValues(of request: TokenRequest) -> String? {
        guard request.isCodeExchange, request.code?.isEmpty == false,
            let login = askedLogins.first(where: {
                $0.tokenRequests.contains { $0.exchange == request.exchange }
            }),
            certainTokenRequests(of: login).contains(where: { $0.exchange == request.exchange })
        else { return nil }
        var right: [String] = []
        if let uri = login.request.redirectURI, uri.equalsBytes(of: request.redirectURI) {
            right.append("redirect URI the same")
        }
        if let verifier = request.codeVerifier, let challenge = login.request.codeChallenge,
            CodeChallenge.relation(of: challenge, to: verifier)
                == (login.request.codeChallengeMethod == "S256" ? .s256 : .plain)
        {
            right.append("verifier fits")
        }
        if tokenRequests.filter({ $0.code == request.code }).count == 1 {
            right.append("code sent once")
        }
        if let client = login.request.clientID, client.equalsBytes(of: request.clientID) {
            right.append("client the same")
        }
        if let delivered = login.response?.exchange {
            right.append(
                "code \(max(0, request.startedAt.seconds - capture[delivered].endedAt.seconds)) s old"
            )
        }
        return right.isEmpty ? nil : "checked: " + right.joined(separator: ", ")
    }
}
