import Captures
import Flows
import JSON
import OAuth

/// Where an authorization response was seen, for evidence.
extension AuthorizationResponse {
    /// The names of its parameters, at the callback where that is recorded, else at the redirect.
    func names(note: String? = nil) -> Evidence {
        let first = parameters.items.first?.place
        let names = parameters.items.map(\.name).filter { !$0.isEmpty }.eachOnce()
        return Evidence(
            place: Place(
                exchange: first?.exchange ?? exchange,
                part: first?.part ?? .responseLocation,
                name: ""
            ),
            value: Masking.shown(names.prefix(24).joined(separator: ", "), of: "names"),
            note: note
        )
    }

    /// A parameter that is missing.
    func missing(_ name: String, note: String? = nil) -> Evidence { names(note: note).missing(name) }

    /// The parameters as they arrived: those of the callback where it is recorded, for something on the way
    /// may have taken some.
    var arrived: Parameters {
        guard let callback, mode != .fragment else { return parameters }
        let own = parameters.items.filter { $0.place.exchange == callback }
        return own.isEmpty ? parameters : Parameters(own)
    }

    /// The signed response of JARM; what has no value counts as left out (RFC 6749, section 3.1).
    var isSigned: Bool { !(parameters["response"] ?? "").isEmpty }
}
