@testable import Captures
import Foundation
import TestSupport
import Testing

/// Files of other programs, changed at random.
struct HostileForeignFilesTests {
    @Test(arguments: [
        "burp-items", "charles-session", "charles-archive", "fiddler-sessions", "saml-tracer", "pasted-fence",
        "pasted-page", "pasted-string", "proxyman-log", "python-log", "apache-wire-log", "logbook",
        "logbook-text", "vcr-cassette", "mockserver", "chucker", "wormholy", "dio-log", "pretty-dio-log",
        "alamofire-log", "vcr-cassette-yaml", "jmeter", "hoverfly", "ktor-log",
        "reactotron", "pulse", "charles-xml", "afnetworking-log", "netfox-session",
    ]) func theyNeverTrap(name: String) throws {
        let file = Fixtures.root.appending(path: "Tests/Regressions/Foreign/\(name)")
        let whole = try Array(Data(contentsOf: file))
        #expect(try CaptureReader.read(bytes: whole, name: name).count > 0)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<600 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = Bool.random(using: &random) ? 0xff : UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            }
            guard let capture = try? CaptureReader.read(bytes: bytes, name: name) else { continue }
            for index in capture.indices {
                _ = (capture[index].request.body?.bytes, capture[index].response?.body?.bytes)
                _ = capture.text(ofEntry: index)
            }
        }
    }
}
