import JSON
import Testing
@testable import Captures

/// Both sides of a proxy, which see one exchange each in its own way.
extension CaptureMergerTests {
    // MARK: - Both sides of a proxy

    /// The server's file has the callback from before and from behind the proxy that ends TLS.
    @Test func bothSidesOfAProxyAreOne() throws {
        let (browser, _) = pair(ahead: 0)
        var server = Sightings(ahead: 37)
        for index in 0..<3 {
            let start = Double(index) * 10 + 3
            let target = "/callback?code=code-\(index)-Xy12&state=state-\(index)-Zq34"
            server.add("https://app.example\(target)", at: start + 0.01, length: 0.18, status: 302)
            server.add("http://127.0.0.1:8080\(target)", at: start + 0.02, length: 0.16, status: 302)
        }
        let merger = CaptureMerger(browser, server)
        #expect(merger.story == ["a0", "a1+b0+b1", "a2", "a3+b2+b3", "a4", "a5+b4+b5"])
        #expect(merger.offset?.count == 3)
        let differs = merger.exchange(at: 1).provenance.differs
        #expect(differs["b #1"]?["request"]?["url"]?.string?.hasPrefix("http://127.0.0.1:8080/") == true)
        // Alone it is converted, unless somebody asks.
        let source = CaptureMerger.Source(name: "b", capture: server.capture)
        #expect(CaptureMerger([source]).count == 6)
        let joined = CaptureMerger([source], joinsSides: true)
        #expect(joined.story == ["b0+b1", "b2+b3", "b4+b5"])
        #expect(joined.exchange(at: 0).request.url.scheme == "https")
        #expect(joined.report(differing: 0).seenTwice == 3)
    }

    /// Nothing in the request for a page or a profile is made for it alone; that the one server stands behind the other is known.
    @Test func exchangesWithoutAnythingOfTheirOwnFollowThoseThatHaveIt() {
        let back = "http://127.0.0.1:8080"
        func story(_ change: (inout Sightings) -> Void = { _ in }, knowsWay: Bool = true) -> [String] {
            var server = Sightings()
            server.callback(1, at: 0)
            if knowsWay {
                server.add(
                    "\(back)/callback?code=code-1-Xy12&state=state-1-Zq34",
                    at: 0.01,
                    length: 0.1,
                    status: 302
                )
            }
            let token = [("Authorization", "Bearer token-of-a-day")]
            for start in [1.0, 1.5] {
                server.add("https://app.example/me", at: start, length: 0.2, headers: token)
                server.add("\(back)/me", at: start + 0.05, length: 0.1, headers: token)
            }
            change(&server)
            let source = CaptureMerger.Source(name: "b", capture: server.capture)
            return CaptureMerger([source], joinsSides: true).story
        }
        #expect(story() == ["b0+b1", "b2+b3", "b4+b5"])
        #expect(story(knowsWay: false) == ["b0", "b1", "b2", "b3", "b4"])
        // Another caller's, one that outlasts what it would be inside of, and one of a server that is not known to stand behind.
        #expect(
            story { $0.exchanges[3].request.headers = HeaderFields([("Authorization", "Bearer other")]) }
                == ["b0+b1", "b2", "b3", "b4+b5"]
        )
        #expect(
            story { $0.exchanges[3].duration = .milliseconds(300) } == ["b0+b1", "b2", "b3", "b4+b5"]
        )
        #expect(
            story { $0.exchanges[3].request.url = RecordedURL("http://127.0.0.1:9090/me") }
                == ["b0+b1", "b2", "b3", "b4+b5"]
        )
        // Two at once, of which one was answered by the proxy itself, could be either.
        #expect(
            story {
                let token = $0.exchanges[2].request.headers.fields.map { ($0.name, $0.value) }
                $0.add("https://app.example/me", at: 1, length: 0.2, headers: token)
            } == ["b0+b1", "b2", "b6", "b3", "b4+b5"]
        )
    }

    /// What gateways and ingresses do: the provider lives below a path that its server knows nothing of.
    @Test func pathThatAProxyTakesOffIsTheSamePath() {
        let query = "?client_id=app&state=state-1-Zq34&code_challenge=challenge-1"
        let token = [("Authorization", "Bearer token-of-a-day")]
        func story(_ path: String = "") -> [String] {
            var server = Sightings()
            server.add("/auth/authorize\(query)", at: 0, length: 0.2, status: 302)
            server.add("http://127.0.0.1:8081\(path)/authorize\(query)", at: 0.05, length: 0.1, status: 302)
            server.add("/auth/userinfo", at: 1, length: 0.2, headers: token)
            server.add("http://127.0.0.1:8081\(path)/userinfo", at: 1.05, length: 0.1, headers: token)
            let source = CaptureMerger.Source(name: "b", capture: server.capture)
            return CaptureMerger([source], joinsSides: true).story
        }
        #expect(story() == ["b0+b1", "b2+b3"])
        #expect(story("/proxied/auth") == ["b0+b1", "b2+b3"])
        // Another realm's endpoint is another one.
        #expect(story("/other") == ["b0", "b1", "b2", "b3"])
    }

    /// A proxy on the same machine adds next to nothing: which side is which is known all the same.
    @Test func outerSideIsKeptHoweverShortTheWay() {
        var file = Sightings()
        let target = "/callback?code=code-1-Xy12&state=state-1-Zq34"
        file.add("http://app.test\(target)", at: 0.00005, length: 0.0999, status: 302)
        file.add("http://app.test:8080\(target)", at: 0, length: 0.1, status: 302)
        let source = CaptureMerger.Source(name: "b", capture: file.capture)
        #expect(CaptureMerger([source], joinsSides: true).story == ["b1+b0"])
    }
}
