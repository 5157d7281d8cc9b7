import Flows
import OAuth
import TestSupport
import Testing

@testable import Diagnosis

struct RequestValuesTests {
    /// The order in which a set has its members is another one in each run.
    @Test func pushedChallengeIsTheFirstOfTheCapture() throws {
        let challenges = (0..<40).map { CodeChallenge.s256(of: "verifier-\($0)") }
        var capture = CaptureBuilder()
        for challenge in challenges {
            capture.post(
                "https://id.example/par",
                [
                    ("response_type", "code"), ("client_id", "shop"),
                    ("redirect_uri", "https://app.example/cb"),
                    ("code_challenge", challenge), ("code_challenge_method", "S256"),
                ],
                201,
                body: .json(
                    #"{"request_uri":"urn:ietf:params:oauth:request_uri:\#(challenge)","expires_in":60}"#
                )
            )
        }
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let values = flow.surroundings.requestValues
        for first in [0, 20] {
            let found = values.pushedChallenge(among: Set(challenges[first...]))
            #expect(found?.value == challenges[first])
        }
    }
}
