import Captures
import Flows
import OAuth

/// A server took the code, and what it did with it at the provider is not in the file.
///
/// Nothing is wrong with that: it tells the reader which half of the login the verdict rests on.
struct BackchannelNotRecorded: Rule {
    static let info = RuleInfo(
        id: "backchannel-not-recorded",
        title: "The exchange of the code for tokens happened on a server and is not in this capture",
        severity: .note,
        explanation: """
            The browser brought the code to the app, and the app answered. The app's own request to the token endpoint is not in this file, so \
            how the login ended is read from that answer alone.
            """,
        fix: """
            To see what the token endpoint says, record the server as well: `authreel record --browser URL -- COMMAND` starts and records \
            both. Or record it by itself, and make one capture of the two files (`authreel import`).
            """,
        badExample: """
            GET https://shop.example/callback?code=… → 302 /        and no POST to the provider's token endpoint
            """,
        goodExample: """
            GET https://shop.example/callback?code=… → 302 /
            POST https://id.example/token  code=… → 200
            """,
        specifications: [.rfc(6749, "4.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let exchanged = Set(flow.tokenRequests.compactMap(\.code))
        // What an app turned away it did not bring to the token endpoint.
        let rejected = Set(RejectedCallback.all(in: flow).map(\.exchange))
        for login in flow.logins where login.tokenRequests.isEmpty {
            guard let response = login.response, let delivery = CodeDelivery(response, in: flow),
                delivery.receiver == .server, let callback = response.callback,
                !rejected.contains(callback), !exchanged.contains(delivery.code.value),
                !isTurnedAwayOnLoopback(response, flow), ClaimedAddress.opened(in: flow) == nil,
                flow.surroundings.backChannel.witness(of: response, to: login.request, in: flow.capture)
                    == nil
            else { continue }
            guard !flow.surroundings.tokenRequests.contains(where: { !$0.isRecorded }) else {
                return .abstains(Gap.tokenRequestBody)
            }
            let evidence = [
                Evidence(delivery.code),
                flow.statusEvidence(of: callback, note: "answer to the callback"),
                flow.locationEvidence(of: callback),
            ]
            return .violated(
                Violation(
                    evidence.compactMap(\.self),
                    saying: isProgram(response, flow) ? Self.program : nil,
                    exchange: callback
                )
            )
        }
        return .holds
    }

    /// Whether a program on this machine listened for the answer, which shows nothing else to a browser than its thanks.
    private func isProgram(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        guard let answer = response.callback.flatMap({ flow.capture[$0].response }), answer.location == nil
        else { return false }
        return response.target.isLoopbackListener && !ClientKind.isWebApp(at: response.target.origin, flow)
    }

    private static let program = Violation.Words(
        title: "The exchange of the code for tokens happened in the program and is not in this capture",
        explanation: """
            The browser brought the code to a program on this machine, which showed its page. Many programs show it before they ask for tokens, so that it \
            does not tell how that went, and their own request to the token endpoint is not in this file.
            """,
        fix: """
            Look at what the program itself says of it. To see what the token endpoint says, record the program: what `authreel record -- COMMAND` starts is recorded \
            as it is. Or make one capture of both files (`authreel import`).
            """
    )

    /// Whether it came to an app's own listener with another state: the app drops it there, whatever page it shows (RFC 8252,
    /// section 8.9), and there is no server.
    private func isTurnedAwayOnLoopback(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        response.target.isLoopbackListener
            && ForeignState.of(flow).ofResponses.contains {
                $0.response == response.exchange && !$0.isTakenOut
            }
    }
}
