import Captures
import Flows
import Foundation
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// Every healthy capture is played, and a client with values of its own is answered as the recorded one was.
struct RecordedProviderTests {
    static let key = try? PrivateKey.generate(.elliptic(.p256))
    static let rsa = try? PrivateKey.generate(.rsa(bits: 2048))

    static let healthy = ["healthy", "providers"].flatMap { folder in
        ((try? FileManager.default.contentsOfDirectory(
            atPath: Fixtures.root.appending(path: "captures/\(folder)").path
        )) ?? []).filter { $0.hasSuffix(".har") && !$0.hasSuffix(".broken.har") }.map {
            "captures/\(folder)/\($0)"
        }
    }.sorted()

    static func capture(_ path: String) throws -> Capture {
        let bytes =
            path.hasPrefix("/") ? try Array(Data(contentsOf: URL(filePath: path))) : try Fixtures.bytes(path)
        return try CaptureReader.read(bytes: bytes, name: path)
    }

    static func provider(_ capture: Capture, _ options: RecordedProviderOptions = .init()) throws
        -> RecordedProvider
    {
        var options = options
        options.keys = [rsa, key].compactMap { $0 }
        return try RecordedProvider(capture: capture, baseURL: "http://127.0.0.1:8090", options: options)
    }

    @Test(
        arguments: healthy
            + (ProcessInfo.processInfo.environment["MOCK_CAPTURES"]?.split(separator: ":").map(String.init)
                ?? [])
    )
    func healthyCaptureIsAnsweredTheSame(_ path: String) throws {
        let capture = try Self.capture(path)
        let provider = try Self.provider(capture)
        var jar: [(name: String, value: String)] = []
        for flow in FlowFinder.flows(in: capture) where flow.ending == .success {
            var walk = RecordedWalk(flow, at: provider, key: try #require(Self.key), jar: jar)
            walk.run()
            jar = walk.jar
            #expect(!walk.pairs.isEmpty)
            for pair in walk.pairs {
                let found = AnswerComparison.differences(
                    pair.recorded,
                    pair.played,
                    played: walk.played,
                    renewed: walk.renewed
                )
                #expect(
                    found.isEmpty,
                    "\(flow.id) \(pair.request.method) \(pair.request.url.text.prefix(140)): \(found)"
                )
            }
        }
    }
}
