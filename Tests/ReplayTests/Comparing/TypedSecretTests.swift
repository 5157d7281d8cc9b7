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
}
