import Captures
import Flows
import OAuth

extension Flow {
    /// What there is to say of a token request that went to an address where no token endpoint is.
    func misplaced(_ request: TokenRequest, explanation: String, title: String? = nil) -> Violation {
        let named = serverMetadata.lazy.compactMap { metadata in
            metadata.endpoint("token_endpoint").map {
                Evidence(place: metadata.answer.place("token_endpoint"), value: $0, note: "where it is")
            }
        }.first
        return Violation(
            [
                request.answer.statusEvidence(),
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(request.endpoint.text, of: "url"),
                    note: "where the client looks for the token endpoint"
                ), named,
            ].compactMap(\.self),
            explanation: explanation,
            fix: """
                Put the token_endpoint of the provider's metadata into the client's configuration, to the letter: path, tenant, version, the slash \
                at the end.
                """,
            title: title,
            exchange: request.exchange
        )
    }

    /// The same of one that went to the address where the login began; nil for any other.
    func takenToAuthorizationEndpoint(_ request: TokenRequest) -> Violation? {
        let address = request.endpoint.normalizedWithoutQuery
        // Who answers as a token endpoint, or is said to be it, is it.
        let isNamed = serverMetadata.contains { metadata in
            metadata.endpoint("token_endpoint").map { RecordedURL($0).normalizedWithoutQuery } == address
        }
        guard !isNamed, request.answer.error == nil, !request.answer.parameters.contains("access_token"),
            (request.answer.status ?? 0) < 500, !request.answer.isSuccess || request.answer.json == nil,
            authorizationRequests.contains(where: { $0.endpoint.normalizedWithoutQuery == address })
        else { return nil }
        return misplaced(
            request,
            explanation: """
                The client took the code to the address where the login began. The provider answers there with pages for a browser; tokens are \
                given out at another address.
                """,
            title: "The token request went to the authorization endpoint"
        )
    }
}
