import Captures
import JSON
import Replay
import Testing

/// What is filled in and pressed on a page, out of what the person of the recording entered.
struct PageFillingTests {
    private typealias Control = PageSnapshot.Control

    private static func page(_ controls: [Control], title: String = "Sign in") -> PageSnapshot {
        PageSnapshot(url: RecordedURL("https://idp.example/login"), title: title, controls: controls)
    }

    private static let signIn = page([
        Control(number: 0, type: "search", name: "q"),
        Control(number: 1, type: "text", name: "username", form: 0),
        Control(number: 2, type: "password", name: "password", form: 0),
        Control(number: 3, type: "submit", name: "action", text: "Cancel", value: "cancel", form: 0),
        Control(number: 4, type: "submit", name: "action", text: "Sign in", value: "sign-in", form: 0),
        Control(number: 5, type: "button", text: "Continue with Google"),
    ])

    private static func entries(_ entries: [(String, String?)]..., isForm: Bool = true) -> PersonsEntries {
        PersonsEntries(
            entries.map { fields in
                PersonsEntries.Entry(
                    fields.map { .init($0.0, $0.1, isSecret: ["password", "otp"].contains($0.0)) },
                    isForm: isForm
                )
            }
        )
    }

    private static func text(_ control: Int, _ value: String) -> PageFilling.Assignment {
        .init(control: control, value: .text(value))
    }

    private static func box(_ control: Int, _ value: Bool) -> PageFilling.Assignment {
        .init(control: control, value: .ticked(value))
    }

    @Test func recordedFieldsAreEnteredAndTheRecordedButtonIsPressed() {
        var filling = PageFilling(
            Self.entries([("username", "alice"), ("password", "wonderland"), ("action", "cancel")]),
            goesOn: true
        )
        #expect(filling.move(on: Self.signIn) == .fill([Self.text(1, "alice"), Self.text(2, "wonderland")]))
        #expect(filling.move(on: Self.signIn) == .press(3))
    }

    @Test func fieldsOfAScriptAreFoundByIDAndTheButtonSaysToGoOn() {
        let page = Self.page([
            Control(number: 0, type: "text", id: "username", form: 0),
            Control(number: 1, type: "password", id: "password", form: 0),
            Control(number: 2, type: "button", id: "other", text: "Change scheme", form: 0),
            Control(number: 3, type: "submit", id: "loginbut", text: "Login", form: 0),
        ])
        var filling = PageFilling(
            Self.entries([("username", "alice"), ("password", "wonderland")], isForm: false),
            goesOn: true
        )
        #expect(filling.move(on: page) == .fill([Self.text(0, "alice"), Self.text(1, "wonderland")]))
        #expect(filling.move(on: page) == .press(3))
    }

    @Test func passwordThatWasTurnedDownIsNotEnteredAgain() {
        var filling = PageFilling(Self.entries([("username", "alice"), ("password", "wrong")]), goesOn: true)
        _ = filling.move(on: Self.signIn)
        #expect(filling.move(on: Self.signIn) == .press(4))
        var again = Self.signIn
        again.controls[1].isFilled = true
        again.controls[1].value = "alice"
        again.controls[2].isFilled = true
        #expect(filling.move(on: again) == .none)
        #expect(filling.move(on: Self.signIn) == .none)
    }

    @Test func wrongPasswordAndThenTheRightOneAreEnteredInTheirOrder() {
        var filling = PageFilling(
            Self.entries(
                [("username", "alice"), ("password", "red-queen")],
                [("username", "alice"), ("password", "wonderland")]
            ),
            goesOn: true
        )
        #expect(filling.move(on: Self.signIn) == .fill([Self.text(1, "alice"), Self.text(2, "red-queen")]))
        #expect(filling.move(on: Self.signIn) == .press(4))
        #expect(filling.move(on: Self.signIn) == .fill([Self.text(1, "alice"), Self.text(2, "wonderland")]))
        #expect(filling.move(on: Self.signIn) == .press(4))
        #expect(filling.move(on: Self.signIn) == .none)
    }

    @Test func recordedPageMayBeTwoToday() {
        let name = Self.page([
            Control(number: 0, type: "email", name: "identifier"),
            Control(number: 1, type: "button", text: "Next"),
        ])
        let secret = Self.page([
            Control(number: 0, type: "password", name: "Passwd"),
            Control(number: 1, type: "button", text: "Next"),
        ])
        var filling = PageFilling(
            Self.entries([("username", "alice"), ("password", "wonderland")]),
            goesOn: true
        )
        #expect(filling.move(on: name) == .fill([Self.text(0, "alice")]))
        #expect(filling.move(on: name) == .press(1))
        #expect(filling.move(on: secret) == .fill([Self.text(0, "wonderland")]))
        #expect(filling.move(on: secret) == .press(1))
    }

    @Test func twoRecordedPagesMayBeOneToday() {
        var filling = PageFilling(
            Self.entries([("identifier", "alice")], [("password", "wonderland")]),
            goesOn: true
        )
        #expect(filling.move(on: Self.signIn) == .fill([Self.text(1, "alice"), Self.text(2, "wonderland")]))
        #expect(filling.move(on: Self.signIn) == .press(4))
    }

    @Test func passwordGoesIntoNoFieldThatShowsIt() {
        let page = Self.page([
            Control(number: 0, type: "text", name: "password"),
            Control(number: 1, type: "submit", text: "Continue"),
        ])
        var filling = PageFilling(Self.entries([("password", "wonderland")]), goesOn: false)
        #expect(filling.move(on: page) == .none)
    }

    @Test func nothingIsSentWhileASecretIsMissing() {
        var filling = PageFilling(Self.entries([("username", "alice"), ("password", nil)]), goesOn: true)
        #expect(filling.move(on: Self.signIn) == .none)
        var code = Self.signIn
        code.controls.append(Control(number: 6, type: "text", name: "otp", form: 0))
        filling = PageFilling(
            Self.entries([("username", "alice"), ("password", "wonderland")]),
            goesOn: true
        )
        #expect(filling.move(on: code) == .none)
    }

    @Test func codeThatWasGivenIsEnteredWhereACodeIsAskedFor() {
        let page = Self.page([
            Control(number: 0, type: "tel", id: "f1", autocomplete: "one-time-code", form: 0),
            Control(number: 1, type: "submit", text: "Verify", form: 0),
        ])
        var filling = PageFilling(Self.entries([("otp", "123456")], isForm: false), goesOn: true)
        #expect(filling.move(on: page) == .fill([Self.text(0, "123456")]))
        // It went by itself when the last digit was there: the next page is another one.
        let next = Self.page([Control(number: 0, type: "submit", text: "Continue")], title: "Welcome")
        #expect(filling.move(on: next) == .press(0))
        #expect(filling.move(on: page) == .none)
    }

    private static let consent = page(
        [
            Control(number: 0, type: "checkbox", id: "grant-openid", isChecked: true),
            Control(number: 1, type: "checkbox", id: "grant-profile", isChecked: true),
            Control(number: 2, type: "checkbox", id: "grant-offline_access"),
            Control(number: 3, type: "checkbox", id: "remember"),
            Control(number: 4, type: "button", text: "Logout"),
            Control(number: 5, type: "button", text: "Continue"),
            Control(number: 6, type: "button", text: "Grant"),
        ],
        title: "Consent"
    )

    @Test func scopesThatAScriptSentAreTickedAndTheOthersAreNot() {
        var filling = PageFilling(
            Self.entries([("scope", "openid offline_access")], isForm: false),
            goesOn: true
        )
        #expect(filling.move(on: Self.consent) == .fill([Self.box(1, false), Self.box(2, true)]))
        #expect(filling.move(on: Self.consent) == .press(6))
        #expect(filling.move(on: Self.consent) == .press(5), "agreed once, then gone on")
    }

    @Test func boxesOfAFormAreTickedAsRecorded() {
        let page = Self.page([
            Control(number: 0, type: "checkbox", name: "scopes", value: "email", form: 0),
            Control(number: 1, type: "checkbox", name: "remember", value: "on", isChecked: true, form: 0),
            Control(number: 2, type: "submit", name: "answer", text: "Deny", value: "no", form: 0),
            Control(number: 3, type: "submit", name: "answer", text: "Allow", value: "yes", form: 0),
        ])
        var filling = PageFilling(Self.entries([("scopes", "email"), ("answer", "yes")]), goesOn: true)
        #expect(filling.move(on: page) == .fill([Self.box(0, true), Self.box(1, false)]))
        #expect(filling.move(on: page) == .press(3))
    }

    @Test func buttonThatShowsAgainIsNotPressedForEver() {
        let page = Self.page([Control(number: 0, type: "button", text: "Continue")])
        var filling = PageFilling(PersonsEntries(), goesOn: true)
        let moves = (0..<5).map { _ in filling.move(on: page) }
        #expect(moves == [.press(0), .press(0), .press(0), .none, .none])
    }

    @Test func nothingIsPressedWhereTheRecordingEnded() {
        let page = Self.page([Control(number: 0, type: "button", text: "Continue")])
        var filling = PageFilling(PersonsEntries(), goesOn: false)
        #expect(filling.move(on: page) == .none)
    }

    @Test(arguments: ["Cancel", "Deny", "Sign out", "Register", "Log in with Google", "Forgot password?"])
    func buttonThatLeadsAwayIsNotPressed(text: String) {
        let page = Self.page([Control(number: 0, type: "submit", text: text)])
        var filling = PageFilling(PersonsEntries(), goesOn: true)
        #expect(filling.move(on: page) == .none)
    }

    @Test func whatAPageSaysIsBounded() throws {
        let long = String(repeating: "a", count: 5000)
        let control: JSONValue = [
            "type": "text", "name": .string(long), "form": 99_999_999, "isFilled": "yes",
        ]
        let json: JSONValue = [
            "url": .string("https://idp.example/" + String(repeating: "b", count: 20_000)),
            "title": .string(long), "isComplete": true,
            "controls": .array([JSONValue](repeating: control, count: 2000) + ["nonsense"]),
        ]
        let page = try #require(PageSnapshot(json))
        #expect(page.controls.count == 300 && page.title.count == 200 && page.url.text.count == 8192)
        #expect(
            page.controls[7].name.count == 200 && page.controls[7].form == nil && !page.controls[7].isFilled
        )
        #expect(PageSnapshot(["url": 7, "controls": []]) == nil && PageSnapshot("text") == nil)
    }
}
