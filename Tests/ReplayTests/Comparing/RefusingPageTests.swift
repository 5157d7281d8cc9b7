import Captures
import JSON
import Replay
import TestSupport
import Testing

/// What a page says with which a provider refuses a browser.
struct RefusingPageTests {
    private func note(_ status: Int, _ body: String, _ type: String, at path: String) throws -> String? {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        let refused = recording.editing(path) { exchange in
            exchange.response?.status = status
            exchange.response?.body = Body(text: body, mediaType: type)
        }
        let difference = try #require(recording.difference(from: refused))
        return difference.steps.flatMap(\.differences).first { $0.place.part == .responseStatus }?.note
    }

    @Test func itsWordsStandBehindTheStatus() throws {
        let page = "<html><title>Error</title><body><h1>Sorry</h1><p>No such redirect_uri.</p></body></html>"
        let note = try #require(try note(400, page, "text/html", at: "/authorize"))
        #expect(note.hasPrefix("400 instead of 200: the page says “"))
        #expect(note.contains("Sorry") && note.hasSuffix("No such redirect_uri.”"))
    }

    @Test func longOnesAreCut() throws {
        let page = "<body><p>" + String(repeating: "no ", count: 20_000)
        let note = try #require(try note(500, page, "text/html", at: "/authorize"))
        #expect(note.hasSuffix("…”") && note.count < 220)
    }

    /// A sign-in that led to the app, and is answered with a page now, which says what is amiss or what else is wanted.
    @Test func pageInPlaceOfARedirectIsTold() throws {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        let page = "<body><h1>Sign in</h1><p>Wrong password.</p><form><input type=password></form>"
        var held = recording.editing("/sign-in") { exchange in
            exchange.response?.status = 200
            exchange.response?.headers.fields.removeAll { $0.name.lowercased() == "location" }
            exchange.response?.redirectURL = ""
            exchange.response?.body = Body(text: page, mediaType: "text/html")
        }
        held.exchanges.removeSubrange(4...)
        let headline = try #require(recording.difference(from: held)).headline
        #expect(headline.hasPrefix("user_interaction: status: 200 instead of 302: the page says “Sign in"))
        #expect(headline.hasSuffix("Wrong password.”"))
    }

    /// A redirect that led to the app, and leads elsewhere now, and an answer that is called JSON and is none.
    @Test func anotherKindOfAnswerIsTold() throws {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        let other = "https://www.shop.example/other"
        var led = recording.editing("/sign-in") { exchange in
            exchange.response?.headers.fields.removeAll { $0.name.lowercased() == "location" }
            exchange.response?.headers.append("Location", other)
            exchange.response?.redirectURL = other
        }
        led.exchanges.removeSubrange(4...)
        let kind = "a redirect instead of a redirect to the app's redirect URI: to \(other)"
        #expect(
            recording.difference(from: led)?.headline == "user_interaction: kind of answer: \(kind)"
        )
        let form = recording.editing("/token") { exchange in
            exchange.response?.body = Body(text: "access_token=at-1", mediaType: "application/json")
        }
        #expect(
            recording.difference(from: form)?.headline
                == "token_request: kind of answer: no JSON under application/json instead of a JSON object"
        )
    }

    /// A script that was told where the app is, which is not driven, and is told now that the password is wrong.
    @Test func refusalThatAScriptIsToldIsToldWithItsWords() throws {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        let told = recording.editing("/sign-in") { exchange in
            let address = exchange.response?.location ?? ""
            exchange.response = RecordedResponse(status: 200, body: .json(#"{"next":"\#(address)"}"#))
        }
        let refused = told.answering("/sign-in", 401, ["message": "Wrong password"])
        let held = ComparedRecording([0, 2, 3].map { refused.exchanges[$0] })
        var options = ComparisonOptions()
        options.leavingOut = [1, 4, 8]
        #expect(
            told.difference(from: held, options: options)?.headline
                == "user_interaction: status: 401 instead of 200: it says “Wrong password”"
        )
        let again = ComparedRecording([0, 2, 3, 5, 6, 7].map { told.exchanges[$0] })
        #expect(told.difference(from: again, options: options)?.isSame == true)
    }

    /// What is no page says nothing to a person, and the app's is not the provider's.
    @Test(arguments: [("{}", "application/json", "/authorize"), ("<body>No.", "text/html", "/callback")])
    func othersHaveTheStatusAlone(body: String, type: String, path: String) throws {
        let note = try #require(try note(500, body, type, at: path))
        #expect(note.hasPrefix("500 instead of") && !note.contains("the page says"))
    }
}
