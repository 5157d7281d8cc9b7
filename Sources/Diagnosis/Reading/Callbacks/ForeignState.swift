import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A `state` that came back and that no login of the flow had sent, beside the one that was to come (RFC 6749, section 4.1.2).
struct ForeignState: Sendable {
    let sent: Parameter
    let came: Parameter
    /// The response that brought it.
    let response: Int

    /// Whether one of the two was taken out of the capture: then they need not differ.
    var isTakenOut: Bool { [sent, came].contains { Placeholder.isTakenOut($0.value) } }

    /// What was read of a flow, once for all rules.
    struct Reading: Sendable {
        /// In order of time; each at every place where it was seen.
        fileprivate(set) var ofResponses: [ForeignState] = []
        /// Whether some response may answer a request that was not recorded.
        fileprivate(set) var isOrphan = false
        /// Of answers that have neither a code nor an error.
        fileprivate(set) var ofCodelessAnswers: [ForeignState] = []

        var all: [ForeignState] { ofResponses + ofCodelessAnswers }
    }

    /// Empty where the beginning is not in the capture.
    static func of(_ flow: Flow) -> Reading { flow.derived.value { read(flow) } }

    private static func read(_ flow: Flow) -> Reading {
        var reading = Reading()
        let requests = flow.authorizationRequests
        guard !requests.isEmpty else { return reading }
        let responses = flow.authorizationResponses
        // What stands beside a request_uri some providers heed all the same.
        let outer = requests.filter { $0.pushed != nil }.compactMap {
            flow.sentParameters(of: $0.exchange)["state"]
        }
        let sentStates = Set((requests.compactMap(\.state) + outer).map(ByteText.init))
        let answers = AnsweredStates(responses, flow.surroundings.position)
        for response in responses {
            let start = flow.capture[response.exchange].startedAt
            let later = requests.partitionPoint { flow.capture[$0.exchange].startedAt > start }
            guard let request = requests[..<later].last, let sent = sentState(of: request) else { continue }
            for came in states(of: response, in: flow)
            where !came.value.isEmpty && !sentStates.contains(ByteText(came.value)) {
                guard !belongsElsewhere(came.value, request, flow) else { continue }
                guard !answers.isAnswered(sent.value, before: response) else {
                    reading.isOrphan = true
                    continue
                }
                reading.ofResponses.append(
                    ForeignState(sent: sent, came: came, response: response.exchange)
                )
            }
        }
        reading.ofCodelessAnswers = ofCodelessAnswers(sentStates, flow)
        return reading
    }

    private static func ofCodelessAnswers(_ sentStates: Set<ByteText>, _ flow: Flow) -> [ForeignState] {
        CodelessAnswer.all(in: flow).compactMap { answer in
            guard let sent = sentState(of: answer.request),
                let came = answer.parameters.parameter("state"), !came.value.isEmpty,
                !sentStates.contains(ByteText(came.value)),
                !belongsElsewhere(came.value, answer.request, flow)
            else { return nil }
            return ForeignState(sent: sent, came: came, response: answer.exchange)
        }
    }

    /// Nil where it has none, or an empty one, which counts as left out (RFC 6749, section 3.1).
    private static func sentState(of request: AuthorizationRequest) -> Parameter? {
        request.parameters.parameter("state").flatMap { $0.value.isEmpty ? nil : $0 }
    }

    /// The `state` of a response at each place where it was seen: in the redirect, at the callback, inside of
    /// a signed response.
    private static func states(of response: AuthorizationResponse, in flow: Flow) -> [Parameter] {
        var states: [Parameter] = []
        if let exchange = response.deliveredBy, response.mode != .formPost,
            let location = flow.capture[exchange].response?.location
        {
            let url = RecordedURL(location)
            let items = response.mode == .fragment ? url.fragmentItems : url.queryItems
            states += Parameters(items, of: exchange, in: .responseLocation).items.filter {
                $0.name == "state"
            }.prefix(1)
        }
        if let state = response.parameters.parameter("state"),
            !states.contains(where: { $0.place == state.place })
        {
            states.append(state)
        }
        // JARM: the parameters are the claims (JWT Secured Authorization Response Mode, section 2.1).
        if let state = response.claims.parameter("state") { states.append(state) }
        return states
    }

    private static func belongsElsewhere(_ state: String, _ request: AuthorizationRequest, _ flow: Flow)
        -> Bool
    {
        flow.surroundings.requestValues.requests(withState: state).contains {
            $0.redirectURI == request.redirectURI
        }
    }
}

/// The responses of a flow by their `state`.
private struct AnsweredStates {
    private let position: [Int]
    /// Of each state the first response, and the first with another code.
    private var first: [ByteText: (response: AuthorizationResponse, other: AuthorizationResponse?)] = [:]

    init(_ responses: [AuthorizationResponse], _ position: [Int]) {
        self.position = position
        for response in responses.sorted(by: { position[$0.exchange] < position[$1.exchange] }) {
            guard let state = response.state.map(ByteText.init) else { continue }
            guard let known = first[state] else {
                first[state] = (response, nil)
                continue
            }
            if known.other == nil, known.response.code != response.code { first[state]?.other = response }
        }
    }

    /// Whether a `state` came back before, with another code: a later response then answers a request that was not recorded.
    func isAnswered(_ state: String, before response: AuthorizationResponse) -> Bool {
        guard let known = first[ByteText(state)] else { return false }
        let earlier = known.response.code == response.code ? known.other : known.response
        return earlier.map { position[$0.exchange] < position[response.exchange] } ?? false
    }
}
