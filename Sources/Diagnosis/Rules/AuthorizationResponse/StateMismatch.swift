import Captures
import Flows
import JSON
import OAuth

/// The `state` of the answer is not the one that was sent.
///
/// It ties the answer to the browser that asked. Another value means a forged or stale answer, or something
/// on the way that re-codes it; a client has to refuse it either way. A value that another login of the
/// capture sent belongs to that one.
struct StateMismatch: Rule {
    static let info = RuleInfo(
        id: "state-mismatch",
        title: "The `state` that came back is not the one that was sent",
        severity: .error,
        explanation: """
            The answer carries another state than the request it answers, and no other login in the capture sent that value. The app cannot \
            tell that the answer is its own and has to refuse it: it may be forged, stale, or re-coded on the way.
            """,
        fix: """
            Do not accept it. If the two values are related, find what re-codes or cuts the value between the app, the provider and back, and \
            use a state of letters and digits only; if they are not, the answer belongs to another browser or to an older login.
            """,
        badExample: """
            GET /authorize?…&state=Zk3xQ2hQ1m
            302 Location: https://app.example/callback?code=…&state=Zk3xQ2
            """,
        goodExample: """
            GET /authorize?…&state=Zk3xQ2hQ1m
            302 Location: https://app.example/callback?code=…&state=Zk3xQ2hQ1m
            """,
        specifications: [.rfc(6749, "4.1.2"), .rfc(6749, "10.12")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let requests = flow.authorizationRequests
        let responses = flow.authorizationResponses
        guard !requests.isEmpty else {
            return responses.isEmpty ? .holds : .abstains(Gap.beginning)
        }
        var evidence: [Evidence] = []
        var isOrphan = false
        // What stands beside a request_uri some providers heed all the same.
        let outer = requests.filter { $0.pushed != nil }.compactMap {
            flow.sentParameters(of: $0.exchange)["state"]
        }
        let sentStates = Set((requests.compactMap(\.state) + outer).map(ByteText.init))
        let answers = AnsweredStates(responses, flow.surroundings.position)
        for response in responses {
            let states = states(of: response, in: flow)
            let start = flow.capture[response.exchange].startedAt
            let later = requests.partitionPoint { flow.capture[$0.exchange].startedAt > start }
            guard let request = requests[..<later].last, let sent = request.parameters.parameter("state")
            else { continue }
            for came in states where !came.value.isEmpty && !sentStates.contains(ByteText(came.value)) {
                guard !belongsElsewhere(came.value, request, flow) else { continue }
                guard !answers.isAnswered(sent.value, before: response) else {
                    isOrphan = true
                    continue
                }
                if evidence.isEmpty { evidence.append(Evidence(sent)) }
                evidence.append(Evidence(came, note: Difference.note(expected: sent.value, seen: came.value)))
            }
        }
        evidence += ofCodelessAnswers(sentStates, flow)
        guard !evidence.isEmpty else {
            return isOrphan ? .abstains("the request that a response answers is not in the capture") : .holds
        }
        return .violated(Violation(evidence, exchange: evidence.dropFirst().first?.place.exchange))
    }

    /// What was sent and what came back in answers that have neither a code nor an error.
    private func ofCodelessAnswers(_ sentStates: Set<ByteText>, _ flow: Flow) -> [Evidence] {
        CodelessAnswer.all(in: flow).flatMap { answer -> [Evidence] in
            guard let sent = answer.request.parameters.parameter("state"),
                let came = answer.parameters.parameter("state"), !came.value.isEmpty,
                !sentStates.contains(ByteText(came.value)),
                !belongsElsewhere(came.value, answer.request, flow)
            else { return [] }
            let note = Difference.note(expected: sent.value, seen: came.value)
            return [Evidence(sent), Evidence(came, note: note)]
        }
    }

    /// The `state` of a response at each place where it was seen: in the redirect, at the callback, inside of
    /// a signed response.
    private func states(of response: AuthorizationResponse, in flow: Flow) -> [Parameter] {
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

    private func belongsElsewhere(_ state: String, _ request: AuthorizationRequest, _ flow: Flow) -> Bool {
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
