import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A value that two authorization requests of one client share and ought not to.
struct ReusedValue {
    var first: Parameter
    var second: Parameter
    /// A value that tells the two requests apart, of each.
    var distinction: [Parameter]

    /// The first in a flow whose value an earlier login of the capture had.
    ///
    /// - Parameters:
    ///   - name: `state`, `nonce` or `code_challenge`.
    ///   - others: parameters that show by their values that the two are not the same login.
    ///   - flow: where the second of the two is looked for; the first is anywhere in the capture.
    /// - Returns: nil where every login has a value of its own.
    static func first(of name: String, unlike others: [String], in flow: Flow) -> ReusedValue? {
        let index = flow.surroundings
        for request in flow.authorizationRequests {
            guard let second = request.parameters.parameter(name), !second.value.isEmpty else { continue }
            let twins = index.loginValues.requests(with: name, second.value).prefix(50)
            for twin in twins where index.position[twin.exchange] < index.position[request.exchange] {
                guard twin.clientID == request.clientID, let first = twin.parameters.parameter(name),
                    first.value.equalsBytes(of: second.value),
                    let distinction = distinction(twin, request, others, index)
                else { continue }
                return ReusedValue(first: first, second: second, distinction: distinction)
            }
        }
        return nil
    }

    /// Nil where they may be one login: a reload, or what the provider's pages carry along.
    private static func distinction(
        _ one: AuthorizationRequest,
        _ other: AuthorizationRequest,
        _ names: [String],
        _ index: CaptureIndex
    ) -> [Parameter]? {
        for name in names {
            if let left = one.parameters.parameter(name), let right = other.parameters.parameter(name),
                !left.value.isEmpty, !right.value.isEmpty, !left.value.equalsBytes(of: right.value)
            {
                return [left, right]
            }
        }
        guard let state = other.state, one.state == state, index.loginValues.countOfCodes(for: state) > 1,
            one.parameters.items.map(\.value) != other.parameters.items.map(\.value)
        else { return nil }
        return []
    }

    /// Both requests, and what shows that they are two.
    var evidence: [Evidence] {
        [
            Evidence(first, note: "of the first login"),
            Evidence(second, note: "the same value in another login"),
        ] + distinction.enumerated().map { Evidence($1, note: $0 == 0 ? "of the first" : "of the other") }
    }
}
