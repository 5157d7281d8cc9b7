import Captures
import Flows
import OAuth

/// A login of which the capture has nothing but the page that the provider stopped at.
extension AuthorizationError {
    /// What the page was told in its address, and for which client.
    func refusedBeforeTheRecording(_ flow: Flow) -> Violation? {
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
            explanation: Self.unrequested,
            fix: Self.unrequestedFix,
            exchange: page
        )
    }
}
