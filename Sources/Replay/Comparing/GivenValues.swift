import Captures
import Flows
import JSON

/// What whoever drives a flow again wants its requests to say in place of what was recorded.
///
/// A request that says just that is as it was wanted, and no difference of the two flows.
package struct GivenValues: Sendable {
    /// By name or `step_kind.name`; an empty text leaves the parameter out.
    private let parameters: [String: String]
    /// By name: `password`, `client_secret`, `username`, a form field's name.
    private let secrets: [String: String]

    package init(parameters: [String: String] = [:], secrets: [String: String] = [:]) {
        self.parameters = parameters
        self.secrets = secrets
    }

    /// Whether a request of the second flow says what was wanted.
    ///
    /// `value`: what it says of a fact, nil where it lacks what the first flow's has; `kind`: of the request.
    func holds(_ value: String?, of fact: Fact, in kind: StepKind) -> Bool {
        guard kind != .authorizationResponse, fact.key.aspect.isEmpty else { return false }
        switch fact.place.part {
        case .requestQuery, .requestBody, .requestHeader: guard fact.key.token.isEmpty else { return false }
        // Of a request object.
        case .jwtClaims: guard ["", "request"].contains(fact.key.token) else { return false }
        default: return false
        }
        let names = [fact.key.name, fact.key.leaf]
        let wanted =
            names.lazy.compactMap { parameters["\(kind.rawValue).\($0)"] }.first
            ?? names.lazy.compactMap { parameters[$0] }.first
        if let wanted { return wanted.equalsBytes(of: value ?? "") }
        return value.map { value in secrets.values.contains { $0.equalsBytes(of: value) } } ?? false
    }

    /// The client that is driven; nil where it is the recorded one.
    var clientID: String? { parameters["client_id"] }

    /// Who signs in; nil where nobody was named.
    var username: String? {
        secrets[SecretNames.username]
            ?? parameters.keys.sorted().first { name in
                let bare = name.utf8.split(separator: 0x2e).last.map { String(Substring($0)) } ?? name
                return SignIn.names.contains(bare.lowercased())
            }.flatMap { parameters[$0] }
    }
}
