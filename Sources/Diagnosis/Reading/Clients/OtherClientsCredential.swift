import Flows
import JOSE
import JSON
import OAuth

/// A code that the system gave an app together with an ID token, which says for whom both are: Apple knows an app by its
/// bundle, and its website by another id.
enum OtherClientsCredential {
    static func violation(in flow: Flow) -> Violation? {
        for response in flow.authorizationResponses where response.mode == .credential {
            guard let code = response.code, !Placeholder.isOne(code),
                let token = response.parameters.parameter("id_token").flatMap({ IDToken($0) }),
                !token.token.audience.isEmpty
            else { continue }
            for request in flow.tokenRequests where request.code == code && request.isRefusedToClient {
                guard let sent = request.authentication.clientID, !sent.value.isEmpty,
                    !token.token.audience.contains(bytesOf: sent.value)
                else { continue }
                return Violation(
                    [
                        Evidence(
                            place: token.place(ofClaim: "aud"),
                            value: Masking.shown(token.token.audience.joined(separator: ", "), of: "aud"),
                            note: "of the ID token that the app was given with the code"
                        ),
                        Evidence(sent, note: "the client that exchanges it"),
                        request.answer.evidence(),
                    ],
                    explanation: """
                        The app was given the code and an ID token for one client, and its server exchanges the code as another. A code belongs \
                        to the client that it was made for.
                        """,
                    fix: """
                        Exchange the code of an app with the app's own id (at Apple its bundle id, with a client secret whose sub it is), and that \
                        of a website with the website's.
                        """,
                    exchange: request.exchange
                )
            }
        }
        return nil
    }
}
