package import Captures
import JOSE
package import OAuth

/// The calls of APIs and UserInfo that went well behind a place, read from the end.
///
/// A token that was refused before them is told by what they show to be no fault any more: the same call was let in, or
/// another token was at its address. The same token with another method shows less: a list may be open to all, and
/// what writes into it not.
package struct LaterCalls {
    private var methods: Set<String> = []
    /// By address; empty ones were taken out of the capture.
    private var tokens: [String: Set<String>] = [:]

    package init() {}

    /// `isUserInfo`: that is the same by GET and POST (OpenID Connect Core, section 5.3.1).
    package mutating func add(_ call: EndpointCall, isUserInfo: Bool, in capture: Capture) {
        methods.insert(Self.method(of: call, isUserInfo, capture))
        tokens[call.endpoint.text, default: []].insert(Self.token(of: call))
    }

    package func isRepaired(_ call: EndpointCall, isUserInfo: Bool, in capture: Capture) -> Bool {
        guard let tokens = tokens[call.endpoint.text] else { return false }
        if methods.contains(Self.method(of: call, isUserInfo, capture)) { return true }
        let token = Self.token(of: call)
        return token.isEmpty || tokens.contains { $0 != token }
    }

    private static func method(of call: EndpointCall, _ isUserInfo: Bool, _ capture: Capture) -> String {
        "\(isUserInfo ? "" : capture[call.exchange].request.method) \(call.endpoint.text)"
    }

    private static func token(of call: EndpointCall) -> String {
        call.token.flatMap { Placeholder.isOne($0.value) ? nil : $0.value } ?? ""
    }
}
