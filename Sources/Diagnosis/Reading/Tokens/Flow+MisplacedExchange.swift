import Captures
import Flows
import OAuth

extension Flow {
    /// What there is to say of a token request that went to the path of the token endpoint, and not with the query that is part of
    /// the endpoint's URL (RFC 6749, section 3.2); nil for any other.
    func misplacedByQuery(_ request: TokenRequest) -> Violation? {
        let url = capture[request.exchange].request.url
        let asked = EndpointAddress(url)
        let named = serverMetadata.compactMap { $0.endpoint("token_endpoint") }.map {
            EndpointAddress(RecordedURL($0))
        }
        guard named.contains(where: { $0.place == asked.place }),
            // Another query of the same names may be another endpoint, of which no metadata tell.
            !named.contains(where: { $0.takes(asked) || $0.place == asked.place && $0.contradicts(asked) })
        else { return nil }
        return misplaced(
            request,
            explanation: """
                The token endpoint's URL has a query of its own, by which the server knows it from what else there is at the same path, and the request \
                went out without it. So do clients that put the URL together from its parts, or replace its query by one of theirs.
                """,
            title: "The token request has not the query of the token endpoint",
            asked: url
        )
    }

    /// What there is to say of a token request that went to an address where no token endpoint is.
    ///
    /// `asked`: where that was, if the endpoint that is known of the request says less.
    func misplaced(
        _ request: TokenRequest,
        explanation: String,
        title: String? = nil,
        asked: RecordedURL? = nil
    ) -> Violation {
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
                    value: Masking.shown((asked ?? request.endpoint).text, of: "url"),
                    note: "where the client looks for the token endpoint"
                ), named,
            ].compactMap(\.self),
            explanation: explanation,
            fix: """
                Put the token_endpoint of the provider's metadata into the client's configuration, to the letter: path, tenant, version, the slash \
                at the end, the query.
                """,
            title: title,
            exchange: request.exchange
        )
    }

    /// The same of one that went to the address where the login began, or where metadata have logins begin; nil for any other.
    func takenToAuthorizationEndpoint(_ request: TokenRequest) -> Violation? {
        let address = EndpointAddress(capture[request.exchange].request.url)
        // Who answers as a token endpoint, or is said to be it, is it.
        func isNamed(_ member: String) -> Bool {
            serverMetadata.contains { metadata in
                metadata.endpoint(member).map { EndpointAddress(RecordedURL($0)).takes(address) } ?? false
            }
        }
        let beginsLogins = authorizationRequests.contains { login in
            // Of what tells addresses of one path apart the login has to have it all.
            EndpointAddress(login.endpoint).takes(address)
                && (login.isUnseen || address.takes(EndpointAddress(capture[login.exchange].request.url)))
        }
        guard !isNamed("token_endpoint"),
            beginsLogins || !request.isCodeExchange && isNamed("authorization_endpoint"),
            !isAnsweredByTokenEndpoint(request.answer)
        else { return nil }
        let what = beginsLogins ? "took the code to the address where the login began" : Self.askedForTokens
        return misplaced(
            request,
            explanation: """
                The client \(what). The provider answers there with pages for a browser; tokens are given out at another address.
                """,
            title: "The token request went to the authorization endpoint"
        )
    }

    private static let askedForTokens = "asked for tokens at the address where the provider's logins begin"

    /// Whether an answer may be one of a token endpoint: tokens, an error of OAuth, any object, or a failure of the server's.
    private func isAnsweredByTokenEndpoint(_ answer: Answer) -> Bool {
        answer.error != nil || answer.parameters.contains("access_token") || (answer.status ?? 0) >= 500
            || answer.isSuccess && answer.json != nil
    }
}
