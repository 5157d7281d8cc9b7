import Captures
import Flows
import JSON
import OAuth

/// The authorization requests of a capture by the values that other logins may turn out to have: read once for all flows.
struct RequestValues {
    /// Each redirect URI that was asked for.
    private(set) var redirectURIs: Set<ByteText> = []
    private var byState: [ByteText: [Int]] = [:]
    private var byNonce: [ByteText: Int] = [:]
    private var byChallenge: [String: [Int]] = [:]
    /// The challenges of pushed requests (RFC 9126), with or without a browser that came with them.
    private var pushedChallenges: [Parameter] = []
    private var pushedPlaces: [String: Int] = [:]
    private let requests: [AuthorizationRequest]

    init(_ requests: [AuthorizationRequest], pushed: [EndpointCall]) {
        for call in pushed {
            guard let challenge = call.parameters.openingRequestObject.parameter("code_challenge"),
                pushedPlaces[challenge.value] == nil
            else { continue }
            pushedPlaces[challenge.value] = pushedChallenges.count
            pushedChallenges.append(challenge)
        }
        self.requests = requests
        for (place, request) in requests.enumerated() {
            if let uri = request.redirectURI { redirectURIs.insert(ByteText(uri)) }
            if let state = request.state.map(ByteText.init) { byState[state, default: []].append(place) }
            if let nonce = request.nonce.map(ByteText.init), byNonce[nonce] == nil { byNonce[nonce] = place }
            if let challenge = request.parameters["code_challenge"] {
                byChallenge[challenge, default: []].append(place)
            }
        }
    }

    /// In order of time.
    func requests(withState state: String) -> [AuthorizationRequest] {
        (byState[ByteText(state)] ?? []).map { requests[$0] }
    }

    /// The first with a nonce.
    func request(withNonce nonce: String) -> AuthorizationRequest? {
        byNonce[ByteText(nonce)].map { requests[$0] }
    }

    /// Those with one of these challenges, in order of time.
    func requests(withChallenges challenges: Set<String>) -> [AuthorizationRequest] {
        challenges.flatMap { byChallenge[$0] ?? [] }.sorted().map { requests[$0] }
    }

    /// The first of these challenges that was pushed.
    func pushedChallenge(among challenges: Set<String>) -> Parameter? {
        challenges.compactMap { pushedPlaces[$0] }.min().map { pushedChallenges[$0] }
    }
}

extension CaptureIndex {
    var requestValues: RequestValues {
        derived.value {
            RequestValues(
                authorizationRequests,
                pushed: order.compactMap { index in
                    if case .pushedRequest(let call)? = messages[index] { call } else { nil }
                }
            )
        }
    }
}
