import Captures
import OAuth

/// Links the address of a client's registration, from the answer that names it to the requests that go there (RFC 7592, section 3).
enum RegistrationLinks {
    static func links(of flow: FlowBuilder, in index: CaptureIndex) -> [Link] {
        let calls = flow.messages.compactMap { message -> EndpointCall? in
            switch message {
            case .registration(let call), .clientConfiguration(let call): call
            default: nil
            }
        }
        var named: [EndpointAddress: Int] = [:]
        var links: [Link] = []
        for call in index.inOrder(calls, by: \.exchange) {
            if let link = named[EndpointAddress(call.endpoint)] {
                links[link].uses.append(
                    Occurrence(
                        place: Place(exchange: call.exchange, part: .requestURL, name: ""),
                        value: links[link].origin.value,
                        rawValue: call.endpoint.text,
                        name: links[link].name
                    )
                )
            }
            guard let uri = call.answer.parameters.parameter("registration_client_uri") else { continue }
            let address = EndpointAddress(RecordedURL(uri.value))
            guard named[address] == nil else { continue }
            named[address] = links.count
            let origin = Occurrence(place: uri.place, value: uri.value)
            links.append(Link(name: uri.name, origin: origin, uses: [], transform: .equal))
        }
        return links.filter { !$0.uses.isEmpty }
    }
}
