import Foundation
import TestSupport
import Testing

/// What `authreel import` says of packet captures that lack something.
@Suite(.timeLimit(.minutes(4)))
struct ImportedPacketsTests {
    private static func recording(_ name: String) -> String {
        Fixtures.root.appending(path: "Tests/Recordings/\(name)").path
    }

    @Test(arguments: [true, false]) func aMissingDirectionIsNoFaultOfTheKeyLog(hasKeys: Bool) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let all = try PcapFile(Self.recording("packets-app-tls12.pcap"))
        try all.write(
            all.records.filter { $0.ports.source > $0.ports.destination },
            to: folder.file("half.pcap")
        )
        let keys = ["--keylog", Self.recording("packets-app-tls12.keys")]
        let result = try Program.run(
            ["import", "half.pcap", "--out", "half.har"] + (hasKeys ? keys : []),
            in: folder.path
        )
        #expect(result.status == 0)
        #expect(result.errors.contains("one direction only is in the capture"), "\(result.errors)")
        #expect(!result.errors.contains("--keylog"), "\(result.errors)")
        #expect(!result.errors.contains("the key log has to be"), "\(result.errors)")
    }
}
