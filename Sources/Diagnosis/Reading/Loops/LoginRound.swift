import Captures
import Flows
import OAuth

/// One round of a login in a circle: a request, and how its answer led to the next one.
struct LoginRound: Sendable {
    /// The exchange of the request.
    var request: Int
    /// Where its answer came to, and from where the next round began.
    var callback: Int?
    /// The page behind the callback that went to the provider by itself.
    var page: Int?

    /// How many make a circle.
    static let fewest = 3

    /// What is alike in two requests for the same login; a step up asks for more.
    static func sameness(of request: AuthorizationRequest) -> [String?] {
        [request.clientID, request.redirectURI]
            + ["acr_values", "scope", "resource"].map { request.parameters[$0] }
    }

    /// The requests of the first rounds with their times, each with what is told of the way to the next one.
    static func evidence(of rounds: [LoginRound], in flow: Flow, way: (LoginRound) -> [Evidence])
        -> [Evidence]
    {
        let told = rounds.prefix(fewest)
        return told.enumerated().flatMap { number, round in
            let time = flow.capture[round.request].startedAt - flow.capture[rounds[0].request].startedAt
            let note = "round \(number + 1), \(time.components.seconds) s after the first"
            return [flow.urlEvidence(of: round.request, note: note)]
                + (number + 1 < told.count ? way(round) : [])
        }
    }
}

/// The circles of a capture in which each round is a login of its own, by their first requests.
struct LoginCircles: Sendable {
    private var byFirst: [Int: [LoginRound]] = [:]

    /// Rounds that followed one another; too few of them are none.
    mutating func add(_ rounds: [LoginRound]) {
        if rounds.count >= LoginRound.fewest { byFirst[rounds[0].request] = rounds }
    }

    /// Told once, of the first login.
    func rounds(begunBy flow: Flow) -> [LoginRound]? {
        flow.authorizationRequests.first.flatMap { byFirst[$0.exchange] }
    }
}
