import Captures
import Flows
import JSON
import OAuth
import Replay
import TestSupport
import Testing

/// What is repeated until it comes to something is one step.
struct StepFoldingTests {
    @Test func pollingOfADeviceIsOneStepHoweverOften() throws {
        let recording = try ComparedRecording("Tests/Recordings/endpoints")
        let flow = try #require(FlowFinder.flows(in: recording.capture).first)
        let polls = flow.steps.filter {
            $0.kind == .tokenRequest && $0.parameters["grant_type"]?.hasSuffix("device_code") ?? false
        }.map(\.exchange)
        #expect(polls.count == 2)
        var quick = recording
        quick.exchanges.remove(at: polls[0])
        let other = try #require(FlowFinder.flows(in: quick.capture).first)
        let difference = FlowDifference(flow, other)
        #expect(difference.isSame, "\(difference.headline)")
        let step = try #require(difference.steps.first { $0.expected == polls[1] })
        #expect(step.differences.map(\.note) == ["answered at once"])
        let back = FlowDifference(other, flow).steps.first { $0.seen == polls[1] }
        #expect(back?.differences.map(\.note) == ["answered authorization_pending first, then asked again"])
    }

    @Test func requestRepeatedWithTheServersNonceIsOneStep() throws {
        let recording = try ComparedRecording("captures/token-request/dpop-nonce-ignored.near-miss")
        let flow = try #require(recording.flow)
        let requests = flow.tokenRequests
        #expect(
            requests.first?.answer.error?.error == "use_dpop_nonce"
                && requests.last?.answer.isSuccess ?? false
        )
        var direct = recording
        direct.exchanges.remove(at: try #require(requests.first?.exchange))
        let difference = try #require(recording.difference(from: direct))
        #expect(difference.isSame, "\(difference.headline)")
        #expect(difference.steps.count { $0.kind == .tokenRequest } == 1)
    }

    @Test func documentsThatAreReadAgainAreOneStep() throws {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        var twice = recording
        for path in ["/jwks", "/.well-known/openid-configuration"] {
            guard var again = recording.exchanges.last(where: { $0.request.url.path == path }) else {
                continue
            }
            again.startedAt = again.startedAt + .milliseconds(50)
            twice.exchanges.append(again)
        }
        let difference = try #require(recording.difference(from: twice))
        #expect(twice.exchanges.count == recording.exchanges.count + 2)
        #expect(difference.isSame && difference.steps.allSatisfy { $0.expected != nil && $0.seen != nil })
    }

    @Test func timeGrowsWithTheCallsOfADay() throws {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        let call = try #require(recording.exchanges.last { $0.request.url.path == "/userinfo" })
        let login = try #require(recording.flow)
        func seconds(_ count: Int) throws -> Double {
            var day = recording
            day.exchanges += (0..<count).map { number in
                var again = call
                again.request.url = RecordedURL("https://api.shop.example/items/\(number)")
                again.startedAt = call.startedAt + .seconds(number)
                return again
            }
            let flow = try #require(day.flow)
            #expect(flow.steps.count > count)
            return ProcessorTime.seconds { _ = FlowDifference(flow, login) }
        }
        let few = try seconds(750)
        // Eight times the calls: linear is 8 at most, quadratic 64.
        #expect(try seconds(6000) < 16 * max(few, 0.002))
    }

    @Test func documentsThatAreNotReadAgainAreNoDifference() throws {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        let cached = recording.without("/.well-known/openid-configuration")
        let difference = try #require(recording.difference(from: cached))
        #expect(difference.isSame, "\(difference.headline)")
        #expect(difference.steps.contains { $0.kind == .discovery && $0.seen == nil })
    }

    @Test func backEndInAnotherOrderIsTheSame() throws {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        let keys = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/jwks" })
        var early = recording
        // Keys are read before the login, and UserInfo is asked after them.
        early.exchanges[keys].startedAt = early.exchanges[0].startedAt + .milliseconds(30)
        let difference = try #require(recording.difference(from: early))
        #expect(difference.isSame, "\(difference.headline)")
        let steps = difference.steps.filter { $0.kind == .jwks }
        #expect(steps.count == 1 && steps[0].expected == keys && steps[0].seen == keys)
    }

    @Test func moreStepsThanALoginHasAreNotCompared() throws {
        let recording = try ComparedRecording("captures/healthy/web-code-flow")
        let refresh = try ComparedRecording("captures/healthy/refresh")
        let request = try #require(refresh.exchanges.last { $0.request.url.path == "/token" })
        var many = refresh
        for second in 1...1600 {
            var again = request
            again.startedAt = request.startedAt + .seconds(Int64(second))
            many.exchanges.append(again)
        }
        let difference = try #require(recording.difference(from: many))
        #expect(difference.steps.count < 1520 && !difference.isSame)
        #expect(
            difference.overall.contains {
                $0.note == "only the first 1500 are compared" && $0.weight == .note
            }
        )
    }

    /// Endpoints of one path are told apart by their query (RFC 6749, section 3.2).
    @Test func endpointGoesWithTheOneThatStandsForIt() throws {
        func flow(_ endpoints: [String]) throws -> Flow {
            var capture = CaptureBuilder()
            capture.post(
                "https://shop.example/token",
                [("grant_type", "password"), ("username", "alice"), ("client_id", "app")],
                body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
            )
            for endpoint in endpoints {
                capture.get(
                    endpoint,
                    headers: [("Authorization", "Bearer at-7Hq2vLx7TzB4nWm8RdYc9Kq2")],
                    body: .json(#"{"sub":"u-77k"}"#)
                )
            }
            return try #require(FlowFinder.flows(in: capture.capture).first)
        }
        let script = "https://shop.example/index.php?route="
        let first = try flow([script + "oauth/userinfo", script + "oidc/userinfo"])
        let second = try flow(["https://id.example/oidc/userinfo"])
        let options = ComparisonOptions(
            mapped: [(old: script + "oidc/userinfo", new: "https://id.example/oidc/userinfo")]
        )
        let pairs = FlowDifference(first, second, options: options).steps.filter {
            $0.kind == .userInfoRequest
        }
        #expect(pairs.map(\.expected) == [1, 2])
        #expect(pairs.map(\.seen) == [nil, 1])
    }
}
