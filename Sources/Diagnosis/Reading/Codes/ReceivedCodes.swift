import Captures
import Flows
import OAuth

/// The authorization codes that came to the app, read once for all answers of a flow: reloads bring the same one hundreds of times.
struct ReceivedCodes {
    /// The requests by which somebody brought them to the token endpoint.
    private let presented: [String: [TokenRequest]]
    /// Those for which one of these requests got tokens.
    private let redeemed: Set<String>
    /// Those of callbacks that were answered.
    let answered: Set<String>
    /// Refused requests for a login's tokens that brought no code, or one that nobody was given; in order of time.
    private let astray: [TokenRequest]

    init(_ flow: Flow) {
        let given = Set(flow.authorizationResponses.compactMap(\.code))
        astray = flow.tokenRequests.filter { request in
            request.isCodeExchange && request.answer.isRefusal && !(request.code.map(given.contains) ?? false)
        }
        presented = Dictionary(grouping: flow.tokenRequests.filter { $0.code != nil }) { $0.code ?? "" }
        redeemed = Set(flow.tokenRequests.lazy.filter(\.answer.isSuccess).compactMap(\.code))
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

    /// Whether the code of an answer was exchanged, by whichever of the requests with it.
    func areTokens(givenFor response: AuthorizationResponse) -> Bool {
        response.code.map(redeemed.contains) ?? false
    }

    /// The requests by which the app's server meant to exchange a code while it worked on a callback, and did not bring it.
    func astray(during callback: Exchange) -> ArraySlice<TokenRequest> {
        let later = astray[astray.partitionPoint { $0.startedAt >= callback.startedAt }...]
        return later[..<later.partitionPoint { $0.startedAt > callback.endedAt }]
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
