import Captures
import Flows
import OAuth
import Replay
import TestSupport
import Testing

/// Real logins beside each other: those in good health are the same, of the others the true difference comes first.
struct RecordedLoginTests {
    private static let map = [
        (old: "https://127.0.0.1:21101", new: "http://127.0.0.1:21101"),
        (old: "https://localhost:21201", new: "http://localhost:21201"),
    ]

    private static func flow(_ name: String) throws -> Flow {
        let parts = name.split(separator: "#").map(String.init)
        let flows = FlowFinder.flows(in: try ComparedRecording("Tests/Recordings/\(parts[0])").capture)
        let flow =
            parts.count > 1
            ? flows.first { $0.id == parts[1] } : flows.first { !$0.authorizationRequests.isEmpty }
        return try #require(flow)
    }

    @Test(
        arguments: [
            ("login-http2", "key-rotated"), ("key-rotated", "key-rotated#flow-2"),
            ("key-rotated#flow-2", "login-http2"),
            // The first login of this one is in good health.
            ("login-http2", "broken-kid-unknown"),
        ]
    )
    func loginsInGoodHealthAreTheSame(expected: String, seen: String) throws {
        let difference = FlowDifference(try Self.flow(expected), try Self.flow(seen))
        #expect(difference.isSame, "\(difference.headline)")
        #expect(
            difference.steps.contains { $0.kind == .tokenRequest && $0.expected != nil && $0.seen != nil }
        )
    }

    @Test func sameLoginInClearIsTheSameWhenMapped() throws {
        let (expected, seen) = (try Self.flow("login-http2"), try Self.flow("login-cleartext"))
        let mapped = FlowDifference(expected, seen, options: ComparisonOptions(mapped: Self.map))
        #expect(mapped.isSame, "\(mapped.headline)")
        let plain = FlowDifference(expected, seen)
        #expect(plain.headline == "discovery: URL: scheme http instead of https")
        // The provider and the app, each told once.
        #expect(plain.places == ["discovery URL", "authorization_request redirect_uri"])
    }

    @Test(
        arguments: [
            ("broken-client-secret", "token_request: client_secret: differs from character 1 on"),
            (
                "broken-redirect-uri",
                "authorization_request: redirect_uri: path: differs from character 12 on"
            ),
            (
                "broken-kid-unknown#flow-2",
                "token_request: id_token (signature): unknown_key instead of valid"
            ),
            ("broken-clock-ahead", "authorization_response: clock of localhost: 7200 s ahead"),
            (
                "broken-state-cookie",
                "authorization_response: mod_auth_openidc_state_XWl56hYDu-EVDwIgnm9XDAZeVpM: is missing"
            ),
            (
                "broken-state-cookie-silent",
                "authorization_response: mod_auth_openidc_state_XWl56hYDu-EVDwIgnm9XDAZeVpM: is missing"
            ),
            (
                "broken-state-expired",
                "authorization_response: status: 200 instead of 302; the state was 6.5 s old, 2.1 s in the first flow"
            ),
            (
                "broken-callback-replayed",
                "authorization_response: step: not in the first flow: the same response arrives again"
            ),
            ("broken-consent-partial", "token_request: scope: email, offline_access are missing"),
            ("broken-password", "user_interaction: password: differs from character 1 on"),
        ]
    )
    func whatBrokeALoginComesFirst(name: String, headline: String) throws {
        let difference = FlowDifference(try Self.flow("login-http2"), try Self.flow(name))
        #expect(difference.headline.hasPrefix(headline), "\(difference.headline)")
    }

    /// The app of these is called back at another address than the one that went well: that is all that comes before.
    @Test(
        arguments: [
            (
                "broken-pkce-verifier", "token_request code_verifier (against code_challenge)",
                "does not fit; in the first flow it fits by S256"
            ),
            (
                "broken-code-expired", "token_request status",
                "the code was 4.0 s old, 0.0 s in the first flow"
            ),
            ("broken-code-reused", "token_request step", "the same code is sent again"),
            ("broken-token-expired", "token_request expires_in", "2 s instead of 3600 s"),
            ("broken-refresh-reused", "userinfo_request step", "not in the second flow"),
        ]
    )
    func whatBrokeANativeLoginComesFirst(name: String, place: String, note: String) throws {
        let options = ComparisonOptions(ignoring: ["redirect_uri", "target", "session_state"])
        let difference = FlowDifference(try Self.flow("native-app"), try Self.flow(name), options: options)
        let first = try #require(difference.first)
        #expect(
            "\(first.step?.kind.rawValue ?? "") \(first.difference.label)" == place,
            "\(difference.places)"
        )
        #expect(first.difference.note.contains(note), "\(first.difference.note)")
    }

    @Test func refreshTokenUsedTwiceIsAStepMore() throws {
        let difference = FlowDifference(try Self.flow("native-app"), try Self.flow("broken-refresh-reused"))
        let steps = difference.steps.filter { $0.kind == .refreshRequest }
        #expect(steps.map { $0.expected != nil } == [true, false])
        #expect(steps.map(\.seenStatus) == [200, 400])
        // The first time it worked, and another one was given out: rotation is on.
        #expect(steps[0].differences.contains { $0.label == "refresh_token" && $0.note == "is new" })
    }

    @Test func ageOfATokenExplainsItsRefusal() throws {
        let difference = FlowDifference(try Self.flow("native-app"), try Self.flow("broken-token-expired"))
        let refused = difference.all.first {
            $0.step?.kind == .userInfoRequest && $0.difference.label == "status"
        }
        #expect(
            refused?.difference.note
                == "401 instead of 200; the access_token was 4.0 s old, 0.0 s in the first flow"
        )
    }

    @Test func pollingOfADeviceIsOneStep() throws {
        let flow = try Self.flow("endpoints#flow-1")
        let polls = flow.steps.filter {
            $0.kind == .tokenRequest && $0.parameters["grant_type"]?.hasSuffix("device_code") ?? false
        }
        #expect(polls.count == 2)
        let difference = FlowDifference(flow, flow)
        #expect(
            difference.steps.count { $0.kind == .tokenRequest && $0.expected == polls.last?.exchange } == 1
        )
        #expect(!difference.steps.contains { $0.expected == polls.first?.exchange })
    }

    @Test func directionTurnedRoundIsToldTheOtherWay() throws {
        let difference = FlowDifference(try Self.flow("broken-pkce-verifier"), try Self.flow("native-app"))
        let told = difference.all.first { $0.difference.aspect == "against code_challenge" }
        #expect(told?.difference.note == "fits by S256; in the first flow it does not fit")
    }
}
