package import Captures
import Flows
import OAuth

/// Where the requests of a plan go, each with no more of its query than belongs to the address: that of an endpoint (RFC 6749,
/// section 3.2), of a client's registration (RFC 7592, section 3), of metadata.
package struct DrivenAddresses {
    private let map: EndpointMap
    /// As recorded, by exchange; of pages and resources there is none.
    private let recorded: [Int: RecordedURL]

    /// `map`: where the requests go in place of the recorded endpoints.
    package init(of plan: ReplayPlan, _ map: EndpointMap) {
        self.map = map
        recorded = plan.flow.messages.reduce(into: [:]) { addresses, message in
            if addresses[message.exchange] == nil { addresses[message.exchange] = message.address }
        }
    }

    package subscript(step: PlannedStep) -> RecordedURL {
        let url = step.request.url
        return map.mapped(url, asFarAs: recorded[step.exchange] ?? RecordedURL(url.withoutQuery))
    }
}
