import Captures
import Flows
import OAuth

/// A callback that brought a code or an ID token and that the app refused all the same.
struct RejectedCallback {
    var response: AuthorizationResponse
    var exchange: Int
    /// Where the refusal shows.
    var rejection: Place

    /// In the order of time.
    static func all(in flow: Flow) -> [RejectedCallback] {
        flow.authorizationResponses.compactMap { response in
            guard let callback = response.callback,
                ["code", "id_token", "response"].contains(where: { response.parameters.contains($0) }),
                response.error == nil,
                case .rejected(let rejection) = CallbackFate(of: callback, in: flow),
                !isRepeated(response, callback, flow)
            else { return nil }
            return RejectedCallback(response: response, exchange: callback, rejection: rejection)
        }
    }

    /// Loaded again after it was done with: what it needed has served its purpose.
    private static func isRepeated(_ response: AuthorizationResponse, _ callback: Int, _ flow: Flow) -> Bool {
        flow.authorizationResponses.contains { earlier in
            guard let other = earlier.callback, other != callback, earlier.code == response.code,
                flow.capture[other].startedAt < flow.capture[callback].startedAt
            else { return false }
            if case .rejected = CallbackFate(of: other, in: flow) { return false }
            return true
        }
    }

    /// Whether the app went on to the token endpoint: then it had recognised the login.
    func isRedeemed(in flow: Flow) -> Bool {
        flow.tokenRequests.contains { $0.code != nil && $0.code == response.code }
    }

    /// The status, or the redirect, as evidence.
    func evidence(in flow: Flow, note: String = "refused") -> Evidence {
        let answer = flow.capture[exchange].response
        let status = answer.map { "\($0.status)" } ?? ""
        let said = rejection.part == .responseStatus ? status : answer?.location ?? status
        return Evidence(place: rejection, value: Masking.shown(said, of: "location"), note: note)
    }
}
