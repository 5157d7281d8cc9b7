import Testing

@testable import Sharing

/// Whom a step of a sign-in is about that an app shows by itself.
struct HypermediaStepsTests {
    @Test(arguments: [
        (#"{"type":"authentication-step","actions":[],"properties":{"subject":"quill"}}"#, true),
        (#"{"metadata":{"viewName":"x"}, "type" : "user-consent-step", "links":[]}"#, true),
        (#"{"type":"authentication-step"}"#, false),
        (#"{"type":"message","actions":[],"subject":"Hi"}"#, false),
        (#"{"kind":"first-step","type":"mail","actions":[]}"#, false), ("", false), (#"-step""#, false),
    ])
    func stepIsTold(text: String, isOne: Bool) {
        #expect(HypermediaSteps.describe(Array(text.utf8)[...]) == isOne)
    }

    @Test func subjectOfAStepIsSomebody() throws {
        var world = try SharingWorld()
        world.append(
            "https://id.shop.example/authn",
            json:
                #"{"type":"authentication-step","actions":[{"kind":"login","title":"Sign in"}],"subject":"kestrelle"}"#
        )
        world.append("https://mail.shop.example/x", json: #"{"type":"mail","subject":"minutes"}"#)
        world.options.keepsAll = true
        let text = try world.shared().text
        #expect(!text.contains("kestrelle"))
        #expect(text.contains("Sign in") && text.contains("minutes"))
    }
}
