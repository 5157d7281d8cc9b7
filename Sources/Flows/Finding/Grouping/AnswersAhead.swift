import JOSE
import OAuth

/// What all answers of a capture tell before the first of its messages is put into a flow.
///
/// What a recorder left out says nothing: no two logins have it in common.
struct AnswersAhead {
    private let responses: [AuthorizationResponse]
    /// By the exchange at which each is seen first.
    private let numbers: [Int: [Int]]
    /// Where answers went to that are no errors.
    let callbacks: Set<Int>
    /// The states of all answers.
    let answeredStates: Set<String>
    /// The states of those that are no errors.
    let grantedStates: Set<String>
    /// The states that came back with more than one code: their clients do not make up one for each login.
    let repeatedStates: Set<String>
    /// The states of all requests.
    let requestedStates: Set<String>
    /// The successful exchange of each code.
    let exchanges: [String: TokenRequest]
    /// Where each code is delivered for the first time, by place in the order of time.
    let deliveries: [String: Int]

    init(_ index: CaptureIndex) {
        responses = index.responses
        numbers = Dictionary(grouping: index.responses.indices) { index.responses[$0].exchange }
        let granted = index.responses.filter { $0.error == nil }
        callbacks = Set(granted.compactMap(\.callback))
        answeredStates = Self.told(index.responses.lazy.map(\.state))
        grantedStates = Self.told(granted.lazy.map(\.state))
        repeatedStates = Self.repeatedStates(index.responses)
        requestedStates = Self.told(index.authorizationRequests.lazy.map(\.state))
        exchanges = Dictionary(
            index.tokenRequests.compactMap { request in
                request.answer.isSuccess ? request.code.map { ($0, request) } : nil
            },
            uniquingKeysWith: { first, _ in first }
        )
        var deliveries: [String: Int] = [:]
        for response in index.responses {
            guard let code = response.code, !Placeholder.isOne(code) else { continue }
            let place = index.position[response.exchange]
            deliveries[code] = min(deliveries[code] ?? place, place)
        }
        self.deliveries = deliveries
    }

    /// Those that are seen first at an exchange.
    func answers(at exchange: Int) -> [AuthorizationResponse] {
        (numbers[exchange] ?? []).map { responses[$0] }
    }

    private static func told(_ states: some Sequence<String?>) -> Set<String> {
        Set(states.lazy.compactMap(\.self).filter { !Placeholder.isOne($0) })
    }

    private static func repeatedStates(_ responses: [AuthorizationResponse]) -> Set<String> {
        var codes: [String: String] = [:]
        var repeated: Set<String> = []
        for response in responses {
            guard let state = response.state, let code = response.code else { continue }
            if codes.updateValue(code, forKey: state).map({ $0 != code }) ?? false { repeated.insert(state) }
        }
        return repeated
    }
}
