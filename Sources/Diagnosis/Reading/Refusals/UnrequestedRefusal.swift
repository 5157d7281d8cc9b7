import Captures
import Flows

/// A login of which the capture has nothing but the page that the provider stopped at.
enum UnrequestedRefusal {
    /// What the page was told in its address, and for which client.
    static func violation(in flow: Flow) -> Violation? {
        guard let page = flow.loneRefusal, let refusal = flow.refusal(on: [page], redirectURI: nil) else {
            return nil
        }
        let client = flow.capture[page].request.url.queryItems.first("client_id").map { id in
            Evidence(
                place: Place(exchange: page, part: .requestQuery, name: "client_id"),
                value: Masking.shown(id, of: "client_id")
            )
        }
        return Violation(
            [refusal.evidence(), client].compactMap(\.self),
            explanation: explanation,
            fix: fix,
            exchange: page
        )
    }

    static let explanation = """
        The provider answered a login request with an error. The recording begins after that request, so what the provider says is all that the \
        capture knows of the reason.
        """
    static let fix = """
        Go by the error's name and text. To see what was asked for, record once more and begin before the sign-in: in a browser's developer tools, \
        open the network panel first and keep its log over the redirects.
        """
}
