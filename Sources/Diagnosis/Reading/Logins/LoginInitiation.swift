import Captures
import Flows
import OAuth

/// A request by which another party than the app has a login begun at the app (OpenID Connect Core, section 4): a portal with tiles, a
/// learning platform that launches a tool (1EdTech Security Framework, section 5.1.1).
struct LoginInitiation {
    /// Of the query and the form.
    var parameters: Parameters

    /// The one that an authorization request followed on, ten minutes before it at most; nil where the capture has none.
    static func before(_ attempt: LoginAttempt, in flow: Flow) -> LoginInitiation? {
        let endpoint = attempt.request?.endpoint
        for index in flow.exchanges(before: attempt.exchange, within: .seconds(600)) {
            let request = flow.capture[index].request
            guard endpoint.map({ !request.url.isAtServer(of: $0) }) ?? true else { continue }
            guard let parameters = ThirdPartyInitiation.parameters(of: request, at: index) else { continue }
            return LoginInitiation(parameters: parameters)
        }
        return nil
    }

    /// That the app refused one, where there is nothing else in the flow; nil otherwise.
    static func refusal(in flow: Flow) -> Violation? {
        guard let (exchange, parameters) = flow.refusedInitiation,
            flow.capture[exchange].response != nil
        else { return nil }
        let request = flow.capture[exchange].request
        let address = flow.urlEvidence(of: exchange, note: "asked to begin a login, by a \(request.method)")
        let asked = ["iss", "client_id", "lti_deployment_id", "target_link_uri"].compactMap {
            parameters.parameter($0)
        }
        let refused =
            flow.locationEvidence(of: exchange, note: "refused")
            ?? flow.statusEvidence(of: exchange, note: "refused")
        return Violation(
            [address] + asked.map { Evidence($0) } + [refused] + words(at: exchange, in: flow),
            saying: refusalWords,
            exchange: exchange
        )
    }

    /// What the app says of it, there or on the page that it leads to.
    private static func words(at exchange: Int, in flow: Flow) -> [Evidence] {
        let page = FailedLoginNotice.landing(of: exchange, in: flow.surroundings)
        let words = PageText.told(by: flow.capture[page].response?.body)
        guard !words.isEmpty else { return [] }
        return [
            Evidence(
                place: Place(exchange: page, part: .responseBody, name: ""),
                value: Masking.shown(words, of: "body")
            )
        ]
    }

    private static let refusalWords = Violation.Words(
        title: "The app did not begin the login that another party asked it for",
        explanation: """
            Another party, a portal or a learning platform, sent the browser to the app with iss, to have it begin a login there (OpenID Connect Core, section 4). \
            The app answered with an error, and not with a redirect to that issuer: no login came about, and no provider was asked.
            """,
        fix: """
            Compare iss with the issuers that the app knows, letter by letter (a slash at the end, another host of the same platform), and client_id and \
            lti_deployment_id, where they are sent, with those that are registered for it. See that the address takes GET and POST, and that it asks a form \
            from another site for no token or cookie of the app's own.
            """
    )
}
