import Captures
import Flows
import OAuth

/// UserInfo that answered a call with a page, or sent it on to one, as it answers a browser without a session.
enum UserInfoPage {
    /// Nil where a later call was answered with claims, or with an error, and where the app did not refuse its callback over it.
    static func violation(in flow: Flow) -> Violation? {
        let calls = flow.messages.compactMap { if case .userInfo(let call) = $0 { call } else { nil } }
        guard let last = calls.last, last.token != nil, let evidence = page(for: last, in: flow),
            isMet(last, in: flow)
        else { return nil }
        return Violation(
            [flow.urlEvidence(of: last.exchange, note: "asked with an access token"), evidence],
            explanation: """
                The app asked for the user's claims, with an access token, and got a page, as a browser that is not signed in does. Something at that address does not \
                look at tokens; the app found no claims in what it got.
                """,
            fix: """
                Have the endpoint take bearer tokens: a login filter, a gateway or a firewall in front of it must let it pass (Spring Authorization Server: the chain that \
                serves UserInfo needs oauth2ResourceServer). Compare the address with userinfo_endpoint of the provider's metadata.
                """,
            title: "UserInfo answered with a page instead of claims",
            exchange: last.exchange,
            isCause: true
        )
    }

    /// Whether an app was at work on a callback that it refused.
    private static func isMet(_ call: EndpointCall, in flow: Flow) -> Bool {
        let time = flow.capture[call.exchange].startedAt
        return RejectedCallback.all(in: flow).contains { rejected in
            let callback = flow.capture[rejected.exchange]
            return callback.startedAt <= time && time <= callback.endedAt
        }
    }

    /// The page, or the redirect that led to nothing else.
    private static func page(for call: EndpointCall, in flow: Flow) -> Evidence? {
        guard let response = flow.capture[call.exchange].response else { return nil }
        if response.status == 200 {
            guard isPage(call.exchange, flow) else { return nil }
            return flow.statusEvidence(of: call.exchange, note: "a page")
        }
        guard (300..<400).contains(response.status), response.location != nil,
            flow.surroundings.landings(of: call.exchange).allSatisfy({ isPage($0, flow) })
        else { return nil }
        return flow.locationEvidence(of: call.exchange, note: "sent on, to no claims")
    }

    private static func isPage(_ exchange: Int, _ flow: Flow) -> Bool {
        flow.capture[exchange].response?.body?.isPage ?? false
            && Answer(of: flow.capture[exchange], at: exchange).json == nil
    }
}
