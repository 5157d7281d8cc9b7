import Captures
import Flows
import OAuth

/// A login request that went to another address of the provider's than was meant.
enum MistakenEndpoint {
    /// A request to the authorization endpoint's path without the query that is part of its URL (RFC 6749, section 3.1), to which
    /// nothing came that asks the user for anything.
    static func withoutItsQuery(_ attempt: LoginAttempt, _ flow: Flow) -> Violation? {
        guard flow.ending != .success, attempt.response == nil, let request = attempt.request,
            !request.isUnseen, flow.capture[request.exchange].response != nil
        else { return nil }
        let url = flow.capture[request.exchange].request.url
        let asked = EndpointAddress(url)
        let named = flow.serverMetadata.compactMap { document in
            document.endpoint("authorization_endpoint").map { (document, RecordedURL($0)) }
        }
        let addresses = named.map { EndpointAddress($0.1) }
        guard let index = addresses.firstIndex(where: { $0.place == asked.place }),
            // Another query of the same names may be another endpoint, of which no metadata tell.
            !addresses.contains(where: { $0.takes(asked) || $0.place == asked.place && $0.contradicts(asked) }
            ),
            !attempt.pages.contains(where: { page in
                (flow.capture[page].response?.body?.bytes).map { HTMLForm.isAsking(in: $0) } ?? false
            })
        else { return nil }
        let (document, endpoint) = named[index]
        return Violation(
            [
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(url.text, of: "url"),
                    note: "where the browser was sent"
                ),
                Evidence(
                    place: document.answer.place("authorization_endpoint"),
                    value: Masking.shown(endpoint.text, of: "url"),
                    note: "where the endpoint is"
                ),
            ],
            explanation: """
                The authorization endpoint's URL has a query of its own, by which the server knows it from what else there is at the same path. The client put \
                its parameters in that query's place, and the browser came to another page.
                """,
            fix: """
                Add the parameters to the query that the authorization_endpoint of the metadata has, with & (RFC 6749, section 3.1 wants it kept): a matter of the \
                client's library, or of an address that was typed in without it.
                """,
            title: "The login request has not the query of the authorization endpoint",
            exchange: request.exchange
        )
    }

    /// A request that the provider's own server, or what stands in front of it, sent on to the same path without its query.
    static func lostQuery(_ refusal: RequestRefusal, _ attempt: LoginAttempt, _ flow: Flow) -> Violation? {
        guard refusal.channel == .page, let request = attempt.request, !request.isUnseen else { return nil }
        let asked = flow.capture[request.exchange].request.url
        // A server that gives a cookie may have put the parameters into a session.
        guard let response = flow.capture[request.exchange].response, let location = response.location,
            asked.query != nil, !response.headers.contains("set-cookie")
        else { return nil }
        let next = asked.resolving(location)
        guard next.host == asked.host, (next.query ?? "").isEmpty, path(of: next) == path(of: asked) else {
            return nil
        }
        return Violation(
            [
                flow.urlEvidence(of: request.exchange, note: "with the parameters"),
                flow.locationEvidence(of: request.exchange, note: "without any"), refusal.evidence(),
            ]
            .compactMap(\.self),
            explanation: """
                The request came to the provider with its parameters. The server sent it on to the same path, written otherwise, and left the query behind: what was asked for \
                there lacks everything, and is refused for that.
                """,
            fix: """
                Send the browser to the address that the server sends it on to (scheme, host, slash at the end), as it stands in authorization_endpoint of the metadata, and have \
                the redirect keep the query (nginx: $is_args$args; Apache: Redirect instead of a rule with a ? at its end).
                """,
            title: "The login request lost its parameters at a redirect",
            exchange: request.exchange,
            isCause: true
        )
    }

    /// Without the slash at its end, in lower case.
    private static func path(of url: RecordedURL) -> String {
        let path = url.path.asciiLowercased()
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Entra's endpoints of version 1 have no tokens for personal accounts of Microsoft.
    static func ofVersionOne(_ refusal: RequestRefusal, _ attempt: LoginAttempt) -> Violation? {
        let numbers = ["aadsts500201", "aadsts500202"]
        guard let request = attempt.request, refusal.says(numbers) else { return nil }
        return Violation(
            [
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(request.endpoint.text, of: "url"),
                    note: "where the app asked"
                ), refusal.evidence(around: numbers),
            ],
            explanation: """
                The user signed in with a personal Microsoft account, or one from elsewhere, and the app asked at an endpoint of Entra's \
                first version, which issues tokens for accounts of organizations alone.
                """,
            fix: """
                Take the endpoints of version 2: /oauth2/v2.0/authorize and /oauth2/v2.0/token, with scope instead of resource, under \
                common or consumers. The app's registration has to allow personal accounts as well.
                """,
            title: "The endpoint has no tokens for this kind of account",
            exchange: refusal.exchange,
            isCause: true
        )
    }
}
