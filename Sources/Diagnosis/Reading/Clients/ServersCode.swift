import Flows
import JOSE
import JSON
import OAuth

/// A code that Google gave an app for its server beside the app's own tokens: it is one of the client that the app named as
/// `audience`, the server's, and not of the app's own.
enum ServersCode {
    static func violation(in flow: Flow) -> Violation? {
        let codes = flow.surroundings.derived.value { ServersCodes(in: flow.surroundings) }.givenBy
        for request in flow.tokenRequests where request.isRefusedToClient {
            guard let code = request.code, !Placeholder.isOne(code),
                let sent = request.authentication.clientID, !sent.value.isEmpty,
                let given = codes[code],
                let audience = given.parameters.parameter("audience"),
                !audience.value.equalsBytes(of: sent.value)
            else { continue }
            return Violation(
                [
                    Evidence(audience, note: "the server's client, for which the app asked the code"),
                    Evidence(
                        place: given.answer.place("server_code"),
                        value: Masking.shown(code, of: "code"),
                        note: "the code for the server"
                    ),
                    Evidence(sent, note: "the client that exchanges it"), request.answer.evidence(),
                ],
                explanation: """
                    The app had this code given out for its server (serverAuthCode), under the client_id of the server's own \
                    registration. The server exchanges it as another client, and Google has no code for that one.
                    """,
                fix: """
                    Exchange the code with the client_id and client_secret of the web client that the app names as its server's \
                    (serverClientID); the app's own client_id has no part in it.
                    """,
                exchange: request.exchange
            )
        }
        return nil
    }
}

/// The codes for their servers that apps of a capture were given, read once for all of its logins.
private struct ServersCodes: Sendable {
    /// The first request whose answer has each.
    let givenBy: [String: TokenRequest]

    init(in index: CaptureIndex) {
        givenBy = index.tokenRequests.reduce(into: [:]) { list, request in
            guard let code = request.answer.parameters["server_code"], list[code] == nil else { return }
            list[code] = request
        }
    }
}
