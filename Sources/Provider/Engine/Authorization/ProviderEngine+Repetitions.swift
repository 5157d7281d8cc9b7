import Captures

/// Parameters that are sent more than once (RFC 6749, sections 3.1 and 3.2).
extension ProviderEngine {
    /// The refusal of a request that repeats what the recorded provider was never seen to take twice.
    ///
    /// `names`: what is looked at; nil is everything.
    func repetition(of names: Set<String>? = nil, in request: RecordedRequest) -> Refusal? {
        let repeated = request.repeatedParameters.subtracting(dialect.tolerances.repeatedParameters)
        return (names.map(repeated.intersection) ?? repeated).isEmpty ? nil : .parameterRepeated
    }
}
