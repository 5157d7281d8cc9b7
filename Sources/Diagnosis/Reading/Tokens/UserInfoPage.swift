import Captures
import Flows
import OAuth

/// UserInfo that answered a call with the page to sign in at, or sent it on to one, as it answers a browser without a session.
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
                The app asked for the user's claims, with an access token, and got a page to sign in at, as a browser that is not signed in does. Something at that \
                address does not look at tokens; the app found no claims in what it got.
                """,
            fix: """
                Have the endpoint take bearer tokens: a login filter, a gateway or a firewall in front of it must let it pass (Spring Authorization Server: the chain that \
                serves UserInfo needs oauth2ResourceServer). Compare the address with userinfo_endpoint of the provider's metadata.
                """,
            title: "UserInfo answered with a sign-in page instead of claims",
            exchange: last.exchange,
            isCause: true
        )
    }

    /// Whether an app's server asked while it was at work on a callback that it refused.
    private static func isMet(_ call: EndpointCall, in flow: Flow) -> Bool {
        let asked = flow.capture[call.exchange]
        return RejectedCallback.all(in: flow).contains { rejected in
            let callback = flow.capture[rejected.exchange]
            return callback.startedAt <= asked.startedAt && asked.startedAt <= callback.endedAt
                && rejected.isOfAnother(asked, than: callback)
        }
    }

    /// The page, or the redirect that led to no data.
    private static func page(for call: EndpointCall, in flow: Flow) -> Evidence? {
        let asked = flow.capture[call.exchange]
        guard let response = asked.response else { return nil }
        if response.status == 200 {
            guard isSignIn(call.exchange, flow) else { return nil }
            return flow.statusEvidence(of: call.exchange, note: "a page to sign in at")
        }
        guard response.isRedirection, let location = response.location else { return nil }
        let landings = flow.surroundings.landings(of: call.exchange)
        guard landings.allSatisfy({ Answer(of: flow.capture[$0], at: $0).json == nil }),
            ErrorRedirect.isSignInPage(asked.request.url.resolving(location))
                || landings.contains(where: { isSignIn($0, flow) })
        else { return nil }
        return flow.locationEvidence(of: call.exchange, note: "sent on to sign in")
    }

    /// A page that asks for something; of others the rejected callback tells.
    private static func isSignIn(_ exchange: Int, _ flow: Flow) -> Bool {
        guard let body = flow.capture[exchange].response?.body, body.isPage, let page = body.bytes else {
            return false
        }
        return HTMLForm.isAsking(in: page)
    }
}
