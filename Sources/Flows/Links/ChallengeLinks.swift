import Captures
import JSON
import OAuth

/// Links code verifiers to the challenges that were made of them (RFC 7636, section 4.6), well or badly.
struct ChallengeLinks {
    private let position: [Int]
    /// In order of time.
    private let asked: [Parameter]
    /// Places in ``asked`` by value.
    private let places: [ByteText: [Int]]

    /// How many challenges before a token request may have been made of its verifier, rightly or in a wrong way.
    ///
    /// Each is tried in all ways there are, and may be linked to each verifier: a redirect loop has thousands of both.
    private static let mostTried = 16

    init(of flow: FlowBuilder, in index: CaptureIndex) {
        // Of a server's half what it pushed.
        let pushed = flow.messages.compactMap { message -> Parameters? in
            if case .pushedRequest(let call) = message { call.parameters.openingRequestObject } else { nil }
        }
        let position = index.position
        self.position = position
        asked = (flow.requests.isEmpty ? pushed : flow.requests.map(\.parameters))
            .compactMap { $0.parameter("code_challenge") }
            .sorted { position[$0.place.exchange ?? 0] < position[$1.place.exchange ?? 0] }
        places = Dictionary(grouping: asked.indices) { [asked] in ByteText(asked[$0].value) }
    }

    /// Those from the verifier of a token request; equal values are linked by others.
    func links(from request: TokenRequest) -> [Link] {
        guard !asked.isEmpty, let verifier = request.parameters.parameter("code_verifier"),
            !verifier.value.isEmpty
        else { return [] }
        if let fitting = places[ByteText(CodeChallenge.s256(of: verifier.value))] {
            let near =
                fitting.count > Self.mostTried ? last(of: fitting, before: request.exchange) : fitting[...]
            return near.map { link(verifier, asked[$0], .s256) }
        }
        let malformed = last(of: asked.indices, before: request.exchange).filter { place in
            guard let relation = CodeChallenge.relation(of: asked[place].value, to: verifier.value) else {
                return false
            }
            return relation != .plain
        }
        return malformed.map { link(verifier, asked[$0], .malformedChallenge) }
    }

    /// The last of some challenges before an exchange, by their places; where none was seen before it, the last ones.
    private func last<Places: RandomAccessCollection<Int>>(of places: Places, before exchange: Int)
        -> Places.SubSequence
    {
        let end = places.partitionPoint { position[asked[$0].place.exchange ?? 0] > position[exchange] }
        let seen = places[..<end]
        return (seen.isEmpty ? places[...] : seen).suffix(Self.mostTried)
    }

    private func link(_ verifier: Parameter, _ challenge: Parameter, _ transform: Transform) -> Link {
        Link(
            name: "code_verifier",
            origin: Occurrence(place: verifier.place, value: verifier.value, rawValue: verifier.rawValue),
            uses: [
                Occurrence(place: challenge.place, value: challenge.value, rawValue: challenge.rawValue)
            ],
            transform: transform
        )
    }
}
