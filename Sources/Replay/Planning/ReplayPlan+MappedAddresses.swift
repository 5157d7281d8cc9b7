import Captures
import Flows
import JSON

extension ReplayPlan {
    /// Whether something of the recording is at an address that a map moves: where a request goes, or what the JSON of an answer names,
    /// as metadata name endpoints that this login did not ask.
    package func isMoved(by map: EndpointMap) -> Bool {
        func isMoved(_ url: RecordedURL) -> Bool { map.mapped(url) != url }
        return steps.contains { isMoved($0.request.url) }
            || flow.exchanges.contains { isMoved(flow.capture[$0].request.url) }
            || steps.contains { step in
                Self.addresses(in: flow.capture[step.exchange].response).contains { isMoved($0) }
            }
    }

    private static func addresses(in answer: RecordedResponse?) -> [RecordedURL] {
        guard let body = answer?.body, (body.size ?? 0) < 1 << 20, body.essence?.hasSuffix("json") == true,
            let json = body.bytes.flatMap({ try? JSONParser.parse($0) })
        else { return [] }
        return ParameterPlanner.strings(in: json).map { RecordedURL($0.1) }.filter(\.isWeb)
    }
}
