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
    private let requests: [AuthorizationRequest]

    init(_ requests: [AuthorizationRequest]) {
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
}

extension CaptureIndex {
    var requestValues: RequestValues { derived.value { RequestValues(authorizationRequests) } }
}
