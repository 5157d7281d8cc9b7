import Captures
import Flows
import Foundation
import JOSE
import OAuth
import Replay
import TestSupport
import Testing

/// What a run of a login makes anew is no difference, in any capture of one in good health.
struct AnotherDayTests {
    static let healthy: [String] = {
        let folder = Fixtures.root.appending(path: "captures")
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            name.hasPrefix("healthy/") && name.hasSuffix(".har")
                || name.hasPrefix("providers/") && name.hasSuffix(".har") && !name.hasSuffix(".broken.har")
        }.map { "captures/" + $0.dropLast(4) }.sorted()
            + ["login-http2", "login-cleartext", "key-rotated", "native-app", "endpoints"].map {
                "Tests/Recordings/" + $0
            }
    }()

    static let every: [String] = {
        let folder = Fixtures.root.appending(path: "captures")
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".har") }.map { "captures/" + $0.dropLast(4) }.sorted()
    }()

    @Test(arguments: every) func captureIsTheSameAsItself(name: String) throws {
        let capture = try ComparedRecording(name).capture
        for flow in FlowFinder.flows(in: capture) {
            let difference = FlowDifference(flow, flow)
            #expect(difference.isSame && difference.overall.isEmpty, "\(flow.id): \(difference.headline)")
            let told = difference.steps.flatMap(\.differences)
            #expect(told.isEmpty, "\(flow.id): \(told.map { "\($0.label): \($0.note)" })")
        }
    }

    @Test(arguments: healthy) func sameLoginOnAnotherDayIsTheSame(name: String) throws {
        let recording = try ComparedRecording(name)
        let other = try AnotherDay(recording.capture)
        #expect(other.replacementCount >= 4)
        let (flows, later) = (FlowFinder.flows(in: recording.capture), FlowFinder.flows(in: other.capture))
        #expect(!flows.isEmpty && flows.count == later.count)
        for (flow, moved) in zip(flows, later) {
            let difference = FlowDifference(flow, moved)
            #expect(difference.isSame, "\(flow.id): \(difference.headline)")
            #expect(difference.steps.allSatisfy { $0.expected != nil && $0.seen != nil })
        }
    }

    /// The helper would prove nothing if it left the capture as it was.
    @Test(arguments: healthy) func anotherDayIsAnotherDay(name: String) throws {
        let recording = try ComparedRecording(name)
        let other = try AnotherDay(recording.capture)
        let flow = try #require(recording.flow)
        let moved = try #require(ComparedRecording(other.exchanges).flow)
        #expect(flow.links.count == moved.links.count)
        #expect(flow.authorizationRequests.count == moved.authorizationRequests.count)
        #expect(flow.tokenRequests.count == moved.tokenRequests.count)
        let requests = zip(flow.authorizationRequests, moved.authorizationRequests)
        for (request, later) in requests where request.state != nil { #expect(request.state != later.state) }
        for (request, later) in zip(flow.tokenRequests, moved.tokenRequests) {
            if let code = request.code { #expect(code != later.code) }
            // What is encrypted for somebody else cannot be made anew.
            if let token = request.idToken, token.token.form == .signed {
                #expect(token.token.text != later.idToken?.token.text)
            }
        }
        #expect(
            flow.steps.map { $0.tokens.map(\.signature) } == moved.steps.map { $0.tokens.map(\.signature) }
        )
        #expect(flow.ending == moved.ending)
    }
}
