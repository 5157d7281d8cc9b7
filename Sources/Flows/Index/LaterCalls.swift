import Captures
package import OAuth

/// The calls of APIs and UserInfo that went well behind a place, read from the end.
///
/// A token that was refused before them is told by what they show to be no fault any more: the same call was let in, or
/// another token was at its address. The same token with another method shows less: a list may be open to all, and
/// what writes into it not.
package struct LaterCalls {
    private let index: CaptureIndex
    private var methods: Set<String> = []
    /// By address; empty ones were taken out of the capture.
    private var tokens: [String: Set<String>] = [:]
    private var taken: Set<String> = []

    package init(in index: CaptureIndex) { self.index = index }

    /// Adds a call that was let in; the later ones first.
    package mutating func add(_ call: EndpointCall) {
        methods.insert(index.methodAndAddress(of: call))
        tokens[call.endpoint.text, default: []].insert(call.knownToken)
        taken.insert(call.knownToken)
    }

    /// Whether the token of a call was good for one that was added, at whatever address.
    package func hasTaken(_ call: EndpointCall) -> Bool { taken.contains(call.knownToken) }

    /// Whether the calls that were added show that a refused one before them was no fault.
    package func isRepaired(_ call: EndpointCall) -> Bool {
        guard let tokens = tokens[call.endpoint.text] else { return false }
        if methods.contains(index.methodAndAddress(of: call)) { return true }
        let token = call.knownToken
        return token.isEmpty || tokens.contains { $0 != token }
    }
}

extension CaptureIndex {
    /// What two calls have in common that want the same of an API, but for their queries.
    ///
    /// UserInfo is the same by GET and POST (OpenID Connect Core, section 5.3.1).
    func methodAndAddress(of call: EndpointCall) -> String {
        if case .userInfo = messages[call.exchange] { return call.endpoint.text }
        return "\(capture[call.exchange].request.method) \(call.endpoint.text)"
    }
}
