import Captures
import Flows
import OAuth

/// A server that an app asked right behind its login, by connections that it ended at the recorder's certificate: its own back end,
/// mostly, which it hands its code to.
///
/// Refuses the provider's hosts, which are a matter of their own, and services of the system or for telemetry.
enum PinnedServer {
    /// What is said of it; nil where the code is seen to be used, and where the app broke off no such connection.
    static func violation(in flow: Flow) -> Violation? {
        guard flow.ending == .incomplete, flow.tokenRequests.isEmpty,
            let response = flow.authorizationResponses.last(where: { $0.code != nil }),
            let delivery = CodeDelivery(response, in: flow), delivery.receiver == .app,
            let refused = flow.exchanges(after: delivery.exchange, within: longestPause).first(where: {
                isPinned(flow.capture[$0], by: delivery, flow)
            }), delivery.isPassedOn(in: flow) != true
        else { return nil }
        let exchange = flow.capture[refused]
        let pause = exchange.startedAt - flow.capture[delivery.exchange].startedAt
        return Violation(
            [
                Evidence(
                    place: Place(exchange: refused, part: .tls, name: exchange.request.url.host ?? ""),
                    value: Excerpt.start(of: exchange.failure ?? ""),
                    note: "\(pause.words) after the app got its code"
                        + (exchange.client.process.map { "; client: \($0)" } ?? "")
                )
            ],
            severity: .warning,
            explanation: explanation,
            fix: fix,
            title: "What the app did with its code is not recorded: it refused the recorder's certificate",
            exchange: refused
        )
    }

    private static func isPinned(_ exchange: Exchange, by delivery: CodeDelivery, _ flow: Flow) -> Bool {
        guard RecorderRefusal.isOne(exchange), !RecorderRefusal.isSupposed(exchange),
            let host = exchange.request.url.host
        else { return false }
        return !flow.providerHosts.contains(host) && !flow.surroundings.openedHosts.contains(host)
            && delivery.isOfTheApp(exchange, in: flow)
    }

    private static let longestPause = Duration.seconds(60)

    private static let explanation = """
        The provider sent the app its code, and right behind it the app asked another server than the provider's, its own back end mostly, and ended the handshake when it saw the \
        recorder's certificate. What it wanted there is not in the capture, so whether the code was exchanged cannot be told. The login itself is not broken by that.
        """
    private static let fix = """
        Record with a debug build that does not pin this host's certificate and trusts the recorder's; or record the back end instead, or as well (authreel record in front of it, or its \
        packets), and put the two captures together with authreel import.
        """
}
