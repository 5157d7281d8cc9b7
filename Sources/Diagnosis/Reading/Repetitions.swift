import Captures
import Flows

/// When the requests of a flow were answered last, to tell a failure from one that the next try made up for.
struct Repetitions {
    private let flow: Flow
    /// By method and URL, then by the client's process (empty where it is not known): the last place in time.
    private var last: [String: [String: Int]] = [:]

    init(in flow: Flow) {
        self.flow = flow
        for index in flow.exchanges {
            let exchange = flow.capture[index]
            guard exchange.response != nil, exchange.failure == nil else { continue }
            let process = exchange.client.process ?? ""
            let place = flow.surroundings.position[index]
            last[exchange.request.methodAndURL, default: [:]][process] = max(
                place,
                last[exchange.request.methodAndURL]?[process] ?? 0
            )
        }
    }

    /// Whether the same client, or one nobody knows, asked the same in the same way later, and was answered.
    func wentWell(after index: Int) -> Bool {
        let failed = flow.capture[index]
        guard let answers = last[failed.request.methodAndURL] else { return false }
        let places =
            failed.client.process.map { [answers[$0], answers[""]].compactMap(\.self) }
            ?? Array(answers.values)
        return places.contains { $0 > flow.surroundings.position[index] }
    }
}
