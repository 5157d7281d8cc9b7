import OAuth

/// Answers that stand before the requests of their states.
struct EarlyAnswers {
    private var byState: [String: [AuthorizationResponse]] = [:]
    /// The codes that came in them.
    private var codes: Set<String> = []

    func have(_ code: String) -> Bool { codes.contains(code) }

    mutating func insert(_ response: AuthorizationResponse, of state: String) {
        byState[state, default: []].append(response)
        if let code = response.code { codes.insert(code) }
    }

    /// Takes those of a state out, in order.
    mutating func take(_ state: String) -> [AuthorizationResponse] {
        guard let responses = byState.removeValue(forKey: state) else { return [] }
        codes.subtract(responses.compactMap(\.code))
        return responses
    }
}
