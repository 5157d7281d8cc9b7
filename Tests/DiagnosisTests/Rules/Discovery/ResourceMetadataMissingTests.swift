import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct ResourceMetadataMissingTests {
    private let rule = "resource-metadata-missing"
    private let broken = "discovery/resource-metadata-missing"

    @Test func tellsRefusalAndProbes() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 request.url ", "0 response.header WWW-Authenticate", "1 request.url ",
                "1 response.status ",
                "2 request.url ", "2 response.status ",
            ]
        )
        #expect(recording.outcomes == [.failure])
    }

    @Test func oneAnswerAmongTheProbesIsEnough() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    /// A client stops at metadata that name no server; one that has a server of its own goes on.
    @Test(arguments: [
        (#"{"resource":"https://tools.harbour.example/mcp"}"#, true),
        (
            #"{"resource":"https://tools.harbour.example/mcp","authorization_servers":["https://id.harbour.example"]}"#,
            false
        ),
    ])
    func tellsMetadataThatNameNoServer(document: String, fires: Bool) throws {
        let whole = try Recording("discovery/resource-metadata-mismatch.near-miss").editing { exchange in
            guard exchange.request.url.path == "/.well-known/oauth-protected-resource/mcp" else { return }
            exchange.response?.body = .json(document)
        }
        let stopped = Recording(Array(whole.exchanges.prefix(2)))
        #expect((stopped.finding(rule)?.isPrimary == true) == fires)
        #expect(stopped.outcomes == [fires ? .failure : .incomplete])
        if fires { #expect(stopped.finding(rule)?.places.last == "1 response.body authorization_servers") }
        #expect(whole.finding(rule) == nil)
        // What a resource refuses afterwards did not lead to them.
        var later = stopped
        later.exchanges[0].startedAt = stopped.exchanges[1].endedAt + .seconds(1)
        #expect(later.finding(rule) == nil)
    }

    /// A token that somebody has made by hand needs no server.
    @Test(arguments: [(200, false), (403, true)])
    func leavesAClientAloneThatTheResourceLetsIn(status: Int, fires: Bool) throws {
        let whole = try Recording("discovery/resource-metadata-mismatch.near-miss").editing { exchange in
            guard exchange.request.url.path == "/.well-known/oauth-protected-resource/mcp" else { return }
            exchange.response?.body = .json(#"{"resource":"https://tools.harbour.example/mcp"}"#)
        }
        var recording = Recording(Array(whole.exchanges.prefix(2)))
        var call = try #require(recording.exchanges.first)
        call.startedAt = call.startedAt + .seconds(40)
        call.request.headers.append("authorization", "Bearer made-by-hand-0123456789")
        call.response = RecordedResponse(status: status)
        recording.exchanges.append(call)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func anAPIWhoseMetadataNobodyWantedIsLeftAlone() throws {
        let recording = try Recording(broken).without { $0.request.url.path.contains("well-known") }
        #expect(recording.finding(rule) == nil)
        #expect(recording.flows.isEmpty)
    }

    @Test func aRefusalThatNamesTheMetadataIsAnotherMatter() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 401 else { return }
            exchange.response?.headers.append(
                "www-authenticate",
                "DPoP algs=ES256, Resource_Metadata=https://tools.harbour.example/x"
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func probesWithoutARefusalSayNothing() throws {
        let recording = try Recording(broken).without { $0.response?.status == 401 }
        #expect(recording.finding(rule) == nil)
    }

    @Test func isAWarningWhereTheLoginWentOn() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/.well-known/oauth-protected-resource" else { return }
            exchange.response?.status = 404
            exchange.response?.body = Body(text: "", mediaType: "text/plain")
        }
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    /// Other clients know no way round, and the resource is what is to be mended.
    @Test func isAWarningWhereWhatIsNamedIsNotThereAndTheLoginWentOn() throws {
        let recording = try Recording("discovery/resource-metadata-mismatch.near-miss").editing { exchange in
            guard exchange.request.url.path == "/.well-known/oauth-protected-resource/mcp" else { return }
            exchange.response?.status = 404
            exchange.response?.body = Body(text: "", mediaType: "text/plain")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(finding.explanation.contains("served there. This client went on"))
        #expect(recording.outcomes == [.success])
    }

    @Test func abstainsWithoutTheBody() throws {
        let path = "/.well-known/oauth-protected-resource"
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == path else { return }
            exchange.response?.status = 200
        }.withoutBodies(of: path)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// The client guesses a server at the resource's own host, and nothing is there, or the resource wants a token for that, too.
    @Test(arguments: [
        (404, "Not Found", true), (404, #"{"error":"not_found"}"#, true),
        (404, #"{"error":"Not Found"}"#, true),
        (401, #"{"error":"invalid_token","error_description":"Authentication required"}"#, true),
        (400, #"{"error":"invalid_redirect_uri"}"#, false),
    ])
    func isTheCauseOfARegistrationThatWasGuessed(status: Int, body: String, isCause: Bool) throws {
        var recording = try Recording("discovery/resource-metadata-missing")
        var guess = try #require(recording.exchanges.last)
        guess.startedAt = guess.startedAt + .seconds(1)
        guess.request.method = "POST"
        guess.request.url = guess.request.url.resolving("/register")
        guess.request.body = .json("{\"redirect_uris\":[\"http://localhost:51234/cb\"]}")
        guess.response = RecordedResponse(status: status, body: .json(body))
        recording.exchanges.append(guess)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary == isCause)
        #expect(finding.severity == (isCause ? .error : .warning))
        #expect(recording.finding("registration-rejected")?.effectOf == (isCause ? rule : nil))
    }

    /// The refusal names a URL, and nothing is there.
    @Test(arguments: [(true, true), (false, false)])
    func metadataThatIsNamedAndNotThereIsMissing(isFetched: Bool, fires: Bool) throws {
        let path = "/.well-known/oauth-protected-resource\(isFetched ? "/mcp" : "/other")"
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 401 else { return }
            exchange.response?.headers.append(
                "www-authenticate",
                "Bearer resource_metadata=\"https://tools.harbour.example\(path)\""
            )
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding(rule)?.explanation.contains("names a URL") == true) == fires)
    }

    /// Who is told of no authorization server looks for one at the resource's own place.
    @Test func isTheCauseOfAServerThatWasGuessed() throws {
        var recording = try Recording(broken)
        var guess = try #require(recording.exchanges.last)
        guess.startedAt = guess.startedAt + .seconds(1)
        guess.request.url = guess.request.url.resolving("/.well-known/oauth-authorization-server")
        recording.exchanges.append(guess)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("discovery-unreachable")?.effectOf == rule)
    }

    /// What only the capture lacks may have been a good one.
    @Test(arguments: LostAnswers.reasons)
    func abstainsWhereTheCaptureLacksTheAnswer(reason: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path.contains("oauth-protected-resource") else { return }
            exchange.response = nil
            exchange.failure = reason
            exchange.duration = .seconds(1)
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) == !fires)
    }
}
