import Captures
import Flows
import OAuth

/// Where the responses of a flow went.
struct ReachedRedirectURIs {
    private struct Answers {
        var hasCode = false
        var states: Set<String?> = []
    }

    private var byTarget: [String: Answers] = [:]

    init(_ responses: [AuthorizationResponse]) {
        for response in responses {
            let target = response.target.normalizedWithoutQuery
            if response.code != nil { byTarget[target, default: Answers()].hasCode = true }
            byTarget[target, default: Answers()].states.insert(response.state)
        }
    }

    /// Whether a response went to the redirect URI of a request that may be its own.
    func isAnswered(_ request: AuthorizationRequest) -> Bool {
        guard let uri = request.redirectURI, let answers = byTarget[RecordedURL(uri).normalizedWithoutQuery]
        else {
            return false
        }
        return request.state == nil || answers.hasCode || answers.states.contains(request.state)
    }
}
