import Captures
import Flows
import OAuth

/// The authorization codes that came to the app, read once for all answers of a flow: reloads bring the same one hundreds of times.
struct ReceivedCodes {
    /// The requests by which somebody brought them to the token endpoint.
    private let presented: [String: [TokenRequest]]
    /// Those of callbacks that were answered.
    let answered: Set<String>

    init(_ flow: Flow) {
        presented = Dictionary(grouping: flow.tokenRequests.filter { $0.code != nil }) { $0.code ?? "" }
        answered = Set(
            flow.authorizationResponses.lazy.compactMap { response in
                guard let callback = response.callback, flow.capture[callback].response != nil else {
                    return nil
                }
                return response.code
            }
        )
    }

    /// The requests to the token endpoint with the code of an answer, in order of time.
    func exchanges(of response: AuthorizationResponse) -> [TokenRequest] {
        response.code.flatMap { presented[$0] } ?? []
    }

    /// Whether the code of an answer came to the app, this way or another: the system handed the address to it, or a second try got
    /// through.
    func contains(_ response: AuthorizationResponse) -> Bool {
        guard let code = response.code else { return false }
        return presented[code] != nil || answered.contains(code)
    }
}

extension Flow {
    var receivedCodes: ReceivedCodes { derived.value { ReceivedCodes(self) } }
}
