import Captures
import Flows
import TestSupport
import Testing

@testable import Replay

/// Whether a call that nobody answered was made again.
struct AnsweredCallsTests {
    /// A code that is redeemed once more is the same call; another code is another one.
    @Test(arguments: [("code-1-0123456789", true), ("code-2-0123456789", false)])
    func answeredLater(code: String, isOne: Bool) throws {
        let provider = "https://id.example"
        let response = "https://shop.example/cb?code=code-1-0123456789&state=st-4Xr8LmPq2Kt"
        var capture = CaptureBuilder()
        capture.redirect(
            "\(provider)/authorize?response_type=code&client_id=shop&state=st-4Xr8LmPq2Kt",
            to: response
        )
        capture.get(response)
        func redeem(_ code: String, _ status: Int) -> Int {
            capture.post(
                "\(provider)/token",
                [("grant_type", "authorization_code"), ("code", code), ("client_id", "shop")],
                status,
                body: .json("{\"access_token\":\"access-token-0123456789\",\"token_type\":\"Bearer\"}")
            )
        }
        let lost = redeem("code-1-0123456789", 0)
        let again = redeem(code, 200)
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        #expect(flow.exchanges.contains(lost))
        let answered = AnsweredCalls(of: flow)
        let (request, position) = (flow.capture[lost].request, flow.surroundings.position)
        #expect(answered.isMade(request, after: position[lost]) == isOne)
        #expect(!answered.isMade(request, after: position[again]))
    }

    /// Forms are one call by what they ask for, anything else by its text.
    @Test func formsAndTextsAreCompared() {
        func marks(_ text: String?, _ type: String?) -> (own: [SameCall.Mark], sought: [SameCall.Mark]) {
            SameCall.marks(
                of: RecordedRequest(
                    method: "POST",
                    url: RecordedURL("https://id.example/token"),
                    body: text.map { Body(text: $0, mediaType: type) }
                )
            )
        }
        let (form, text) = (marks("code=a&x=1", FormBody.mediaType), marks("code=a&x=1", "application/xml"))
        let other = marks("code=a&x=2", FormBody.mediaType)
        func isOne(_ first: [SameCall.Mark], _ second: [SameCall.Mark]) -> Bool {
            first.contains(where: second.contains)
        }
        #expect(isOne(form.sought, text.own) && isOne(text.sought, form.own) && isOne(form.sought, other.own))
        #expect(!isOne(text.sought, other.own) && isOne(marks(nil, nil).sought, marks(nil, nil).own))
    }
}
