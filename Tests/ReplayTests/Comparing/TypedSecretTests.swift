import Captures
import Flows
import Replay
import Testing

/// What people type in secret is shown by nothing, whatever its field is called.
struct TypedSecretTests {
    /// A login whose page calls the password `pw`.
    private func recording(_ password: String) throws -> ComparedRecording {
        var client = ReplayWorld.Client()
        client.password = password
        let capture = try ReplayWorld().record(client)
        return ComparedRecording(capture.indices.map { capture[$0] }).editingAll { exchange in
            if let page = exchange.response?.body, page.isPage, let text = page.text {
                exchange.response?.body = Body(
                    text: text.replacing("name=\"password\"", with: "name=\"pw\""),
                    mediaType: page.mediaType
                )
            }
            if let form = exchange.request.body, let text = form.text {
                exchange.request.body = Body(
                    text: text.replacing("password=", with: "pw="),
                    mediaType: form.mediaType
                )
            }
        }
    }

    @Test(arguments: ["", "/signin"]) func passwordOfAnotherNameIsNotShown(path: String) throws {
        func moved(_ recording: ComparedRecording) -> ComparedRecording {
            guard !path.isEmpty else { return recording }
            return recording.editingAll { exchange in
                guard exchange.request.method == "POST", exchange.request.url.path.hasSuffix("/authorize")
                else { return }
                exchange.request.url = RecordedURL(ReplayWorld.issuer + path)
            }
        }
        let difference = try #require(
            moved(recording("wonderland")).difference(from: moved(recording("red-queen-4711")))
        )
        let told = difference.steps.flatMap(\.differences) + difference.overall
        #expect(told.contains { $0.name == "pw" }, "\(told)")
        for text in told.flatMap({ [$0.note, $0.expected ?? "", $0.seen ?? ""] }) + [difference.headline] {
            #expect(!text.contains("wonder") && !text.contains("queen"), "\(text)")
        }
    }

    /// By their own names, inside of other members too, and as what they are.
    @Test func nestedTokensAreNotShown() throws {
        let login = try ComparedRecording("captures/healthy/web-code-flow")
        let body = #"""
            {"data": {"refresh_token": "wonderland-4711-wonderland", "code": 401,
            "jwt": "eyJhbGciOiJSUzI1NiJ9.eyJ3b25kZXIiOjF9.d29uZGVybGFuZA"}}
            """#
        let nested = login.editing("/token") {
            $0.response?.body = Body(text: body, mediaType: "application/json")
        }
        let told = try #require(login.difference(from: nested)).steps.flatMap(\.differences)
        let seen = { (name: String) in told.first { $0.name == name }?.seen }
        #expect(seen("data.refresh_token") == "wond…(26)")
        #expect(seen("data.jwt") == "eyJh…(52)")
        #expect(seen("data.code") == "401")
    }
}
