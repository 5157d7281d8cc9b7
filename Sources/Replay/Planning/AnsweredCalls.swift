import Captures
import Flows

/// The answered requests that are the same call as one that was not, by ``SameCall``; each is looked at once.
struct AnsweredCalls {
    private struct Address: Hashable {
        let method: String
        let url: String

        init(_ request: RecordedRequest) {
            method = request.method
            url = request.url.text
        }
    }

    private struct Call: Hashable {
        let address: Address
        let mark: SameCall.Mark
    }

    /// Where the latest ones stand in the order of time.
    private var latest: [Call: Int] = [:]

    init(of flow: Flow) {
        let capture = flow.capture
        let lost = Set(
            flow.exchanges.lazy.filter { capture[$0].response == nil }.map { Address(capture[$0].request) }
        )
        guard !lost.isEmpty else { return }
        let position = flow.surroundings.position
        for exchange in flow.exchanges where capture[exchange].response != nil {
            let request = capture[exchange].request
            let address = Address(request)
            guard lost.contains(address) else { continue }
            for mark in SameCall.marks(of: request).own {
                let call = Call(address: address, mark: mark)
                latest[call] = max(latest[call] ?? 0, position[exchange])
            }
        }
    }

    /// Whether the same call was made later than at a position, and answered.
    func isMade(_ request: RecordedRequest, after position: Int) -> Bool {
        let address = Address(request)
        return SameCall.marks(of: request).sought.contains { mark in
            latest[Call(address: address, mark: mark)].map { $0 > position } ?? false
        }
    }
}
