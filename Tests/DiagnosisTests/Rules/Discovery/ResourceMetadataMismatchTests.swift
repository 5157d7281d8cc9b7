import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ResourceMetadataMismatchTests {
    private let rule = "resource-metadata-mismatch"
    private let broken = "discovery/resource-metadata-mismatch"
    private let path = "/.well-known/oauth-protected-resource/mcp"

    private func naming(_ resource: JSONValue?, in recording: Recording) -> Recording {
        recording.editingAnswer(of: path) { $0["resource"] = resource }
    }

    @Test func showsBothNamesAndWhatDiffers() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 request.url ", "1 response.body resource"])
        #expect(finding.notes == ["a \"/\" too many at the end"])
        #expect(recording.outcomes == [.failure])
    }

    @Test func theVeryURLIsRight() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    /// A recorder may leave the scheme's own port out; the query that the client sent may be in the name.
    @Test(arguments: [
        ("https://tools.harbour.example/mcp", "", false), ("https://tools.harbour.example", "", true),
        ("http://tools.harbour.example/mcp", "", true), ("https://tools.harbour.example/MCP", "", true),
        ("https://other.harbour.example/mcp", "", true), ("https://tools.harbour.example:443/mcp", "", false),
        ("https://tools.harbour.example:443/mcp?team=7", "", true),
        ("https://tools.harbour.example/mcp?team=7", "?team=7", false),
        ("https://tools.harbour.example/mcp?team=8", "?team=7", true),
    ])
    func comparesStrings(resource: String, query: String, fires: Bool) throws {
        let recording = naming(.string(resource), in: try Recording(broken)).editing { exchange in
            guard exchange.request.url.path == "/mcp" else { return }
            exchange.request.url = RecordedURL(exchange.request.url.text + query)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func tellsWhereThereIsNoName() throws {
        let recording = naming(nil, in: try Recording(broken))
        #expect(recording.finding(rule)?.evidence.last?.value == "absent")
    }

    @Test func isAWarningWhereTheLoginWentOn() throws {
        let recording = naming("https://tools.harbour.example/", in: try Recording(broken + ".near-miss"))
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    @Test func withoutARefusalTheURLOfTheDocumentDecides() throws {
        let recording = try Recording(broken).without { $0.response?.status == 401 }
        #expect(recording.finding(rule)?.places == ["0 request.url ", "0 response.body resource"])
        #expect(naming("https://tools.harbour.example/mcp", in: recording).finding(rule) == nil)
    }

    @Test func goesByTheSchemeThatAProxyTells() throws {
        let right = try Recording(broken + ".near-miss")
        #expect(right.behindProxy(telling: "https").finding(rule) == nil)
        #expect(right.behindProxy(telling: "http").finding(rule) != nil)
        #expect(right.behindProxy(telling: nil).finding(rule) == nil)
        let finding = try Recording(broken).behindProxy(telling: "https").finding(rule)
        #expect(finding?.notes.last == "a \"/\" too many at the end")
    }

    /// Its URL has the server's address, where the header field with the host is not in the capture.
    @Test func leavesAHostAloneThatIsNotKnown() throws {
        #expect(try Recording(broken + ".near-miss").withoutHosts().finding(rule) == nil)
    }

    @Test func aPathThatIsNotKnownIsNoOtherResource() throws {
        let recording = try Recording(broken + ".near-miss").withoutPath("/mcp")
        #expect(recording.finding(rule) == nil)
        #expect(recording.editing { $0.failure = nil }.finding(rule) != nil)
    }

    @Test func theSlashOfAnOriginDoesNotCount() throws {
        let recording = try Recording(broken).without { $0.response?.status == 401 }.editing {
            $0.request.url = RecordedURL("https://tools.harbour.example/.well-known/oauth-protected-resource")
        }
        for name in ["https://tools.harbour.example", "https://tools.harbour.example/"] {
            let named = recording.editingAnswer(of: "/.well-known/oauth-protected-resource") {
                $0["resource"] = .string(name)
            }
            #expect(named.finding(rule) == nil)
        }
    }

    @Test func aClientThatFoundTheDocumentKnowsItsResource() throws {
        let recording = naming(
            "https://tools.harbour.example/mcp",
            in: try Recording(broken).editing { exchange in
                exchange.response?.headers.remove("WWW-Authenticate")
            }
        )
        #expect(recording.finding(rule) == nil)
    }

    /// The client knows of no server, and guesses one at the resource's own host.
    @Test func isTheCauseOfARegistrationThatWasGuessed() throws {
        var recording = naming("https://www.harbour.example/mcp", in: try Recording(broken))
        recording.exchanges = Array(recording.exchanges.prefix(2))
        var guess = try #require(recording.exchanges.last)
        guess.startedAt = guess.startedAt + .seconds(1)
        guess.request.method = "POST"
        guess.request.url = RecordedURL("https://tools.harbour.example/register")
        guess.request.body = Body(
            text: "{\"redirect_uris\":[\"http://localhost:51234/cb\"]}",
            mediaType: "application/json"
        )
        guess.response = RecordedResponse(status: 404, body: Body(text: "Not Found", mediaType: "text/plain"))
        recording.exchanges.append(guess)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(recording.finding("registration-rejected")?.isPrimary == false)
    }
}
