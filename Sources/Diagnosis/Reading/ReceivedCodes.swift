import Captures
import Flows
import OAuth

/// The authorization codes that came to the app, read once for all answers of a flow: reloads bring the same one hundreds of times.
struct ReceivedCodes {
    /// Those that somebody brought to the token endpoint.
    private let presented: Set<String>
    /// Those of callbacks that were answered.
    let answered: Set<String>

    init(_ flow: Flow) {
        presented = Set(flow.tokenRequests.lazy.compactMap(\.code))
        answered = Set(
            flow.authorizationResponses.lazy.compactMap { response in
                guard let callback = response.callback, flow.capture[callback].response != nil else {
                    return nil
                }
                return response.code
            }
        )
    }

    /// Whether the code of an answer came to the app, this way or another: the system handed the address to it, or a second try got
    /// through.
    func contains(_ response: AuthorizationResponse) -> Bool {
        guard let code = response.code else { return false }
        return presented.contains(code) || answered.contains(code)
    }
}

extension Flow {
    var receivedCodes: ReceivedCodes { derived.value { ReceivedCodes(self) } }
}
