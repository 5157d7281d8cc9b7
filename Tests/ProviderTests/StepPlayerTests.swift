import Captures
import Testing

@testable import Provider

/// A recorded step is answered with the values of its transaction, wherever text has them.
struct StepPlayerTests {
    private static let player: StepPlayer = {
        var transaction = Transaction(id: "1", purpose: .visit)
        transaction.values = [(old: "recorded-value", new: "this-value")]
        return StepPlayer(transaction, addresses: AddressMap(), isSecure: false)
    }()

    private func step(_ body: Body?) -> InteractionScript.Step {
        InteractionScript.Step(
            method: "GET",
            url: RecordedURL("https://id.example/page"),
            fields: [],
            status: 302,
            headers: HeaderFields([("X-Flow", "recorded-value")]),
            cookies: [SetCookie(name: "flow", value: "recorded-value", path: "/", isSecure: true)],
            location: SentText("https://id.example/next?flow=recorded-value"),
            body: body,
            answeredAt: Timestamp(seconds: 1_790_000_000)
        )
    }

    @Test func valuesOfTheTransactionStandInFieldsCookiesAndAddresses() {
        let answer = Self.player.answer(step(nil))
        #expect(answer.status == 302 && answer.headers.first("x-flow") == "this-value")
        #expect(answer.location?.text == "https://id.example/next?flow=this-value")
        #expect(answer.cookies.map(\.value) == ["this-value"])
        // Reached without TLS, a browser would keep none that wants it.
        #expect(answer.cookies.map(\.isSecure) == [false])
    }

    @Test(arguments: [
        ("text/html", true), ("application/json", true), ("text/javascript", true), ("", true),
        ("image/png", false), ("application/octet-stream", false),
    ])
    func valuesAreReplacedInTextsAlone(type: String, isReplaced: Bool) {
        let body = Body(text: "a recorded-value b", mediaType: type)
        let expected = isReplaced ? "a this-value b" : "a recorded-value b"
        #expect(Self.player.played(body).bytes == Array(expected.utf8))
    }
}
