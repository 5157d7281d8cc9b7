import Captures
import Flows
import JOSE
import OAuth

/// The tokens of answers whose bodies the capture lacks: what the requests behind such an answer have.
///
/// A token that a request had before is not of that answer, and of two the later one is it.
struct LostTokens {
    /// Where each token would stand.
    private(set) var places: [String: Place] = [:]

    /// `driven`: the exchanges of the flow that are driven.
    init(of flow: Flow, driven: Set<Int>) {
        let lost = Set(
            flow.steps.filter { step in
                (step.kind == .tokenRequest || step.kind == .refreshRequest)
                    && driven.contains(step.exchange) && Self.isLost(flow.capture[step.exchange].response)
            }.map(\.exchange)
        )
        guard !lost.isEmpty else { return }
        let position = flow.surroundings.position
        var earlier: Set<String> = []
        var source: Int?
        for exchange in driven.sorted(by: { position[$0] < position[$1] }) {
            for (name, token) in Self.tokens(in: flow.capture[exchange].request, at: exchange) {
                guard let source, !earlier.contains(token), !Placeholder.isOne(token) else {
                    earlier.insert(token)
                    continue
                }
                if places[token] == nil {
                    places[token] = Place(exchange: source, part: .responseBody, name: name)
                }
            }
            if lost.contains(exchange) { source = exchange }
        }
    }

    private static func isLost(_ response: RecordedResponse?) -> Bool {
        guard let response, (200..<300).contains(response.status) else { return false }
        return response.body?.bytes?.isEmpty ?? true
    }

    /// Tokens of a request by the names of the members that issue them.
    private static func tokens(in request: RecordedRequest, at exchange: Int) -> [(String, String)] {
        let bearer = BearerToken.of(request, exchange: exchange).map { [("access_token", $0.value)] } ?? []
        let items = request.queryAndFormItems.items
        return bearer
            + items.compactMap { item in
                guard !item.value.isEmpty, let name = names[item.name] else { return nil }
                return (name, item.value)
            }
    }

    private static let names = [
        "access_token": "access_token", "refresh_token": "refresh_token", "id_token_hint": "id_token",
    ]
}
