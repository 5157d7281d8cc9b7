import Captures
import Flows
import JOSE
import OAuth

/// The code of a response that the capture lacks: one of the provider's hosts alone, whose page's script is told where the app is.
///
/// That client got tokens for it, so that it was good; what was refused is sent again as it was.
struct LostCode {
    let value: String
    /// The last answer that the browser had before the code was redeemed.
    let place: Place

    /// Nil where none is lost, or several.
    ///
    /// `driven`: the exchanges of the flow that are driven.
    init?(of flow: Flow, driven: Set<Int>) {
        let brought = Set(flow.authorizationResponses.compactMap(\.code))
        let lost = flow.tokenRequests.filter { request in
            request.isCodeExchange && request.answer.isSuccess
                && request.code.map { !brought.contains($0) } ?? false
        }
        guard let request = lost.first, lost.count == 1, let code = request.code, !Placeholder.isOne(code),
            flow.logins.contains(where: { $0.response == nil })
        else { return nil }
        let position = flow.surroundings.position
        let pages = flow.steps.filter { step in
            (step.kind == .userInteraction || step.kind == .authorizationRequest)
                && driven.contains(step.exchange) && position[step.exchange] < position[request.exchange]
        }
        guard let last = pages.map(\.exchange).max(by: { position[$0] < position[$1] }) else { return nil }
        value = code
        place = Place(exchange: last, part: .responseBody, name: "code")
    }
}
