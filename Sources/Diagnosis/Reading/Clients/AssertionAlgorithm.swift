import Captures
import Flows
import JOSE
import OAuth

/// What a client's assertion is signed with, held against what the provider takes (OpenID Connect Core, section 9).
struct AssertionAlgorithm {
    let assertion: ClientAssertion
    let name: String
    /// What the provider takes, by its metadata or its documentation; nil where that is not known.
    let accepted: Evidence?
    /// Whether it is none, or not among those.
    let isWrong: Bool

    var isListKnown: Bool { accepted != nil }

    /// Nil of a call without an assertion that is signed, or has no name for how.
    init?(of call: ClientCall, in flow: Flow) {
        guard let assertion = call.assertion, assertion.token.form == .signed,
            let algorithm = assertion.token.algorithm
        else { return nil }
        self.assertion = assertion
        name = algorithm
        let isUnsigned = algorithm.lowercased() == "none"
        let metadata = flow.providerFacts.metadata(of: call.endpoint)
        let stated = metadata?.list(Self.member).flatMap { $0.isEmpty ? nil : $0 }
        guard let list = stated ?? (flow.provider == .singpass ? ["ES256", "ES384", "ES512"] : nil) else {
            accepted = nil
            isWrong = isUnsigned
            return
        }
        accepted = Evidence(
            place: stated.flatMap { _ in metadata?.answer.place(Self.member) }
                ?? Place(exchange: nil, part: .responseBody, name: Self.member),
            value: list.joined(separator: ", "),
            note: "accepted"
        )
        // What a provider's documents say is out of date where it takes the signature.
        let isDated = stated == nil && !isUnsigned && (!call.mayBlameClient || call.isRefusedUnseen)
        isWrong = (isUnsigned || !list.contains(algorithm)) && !isDated
    }

    private static let member = "token_endpoint_auth_signing_alg_values_supported"
}
