import Foundation
import JSON
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

    /// A wrong filter or interface leaves a file that is whole, and holds no login.
    @Test(arguments: [
        (0, "no packet is in it: was it taken at the right interface, and did the filter fit?"),
        (2, "no packet carries TCP or QUIC, which HTTP runs over"),
    ]) func captureWithoutConnectionsSaysSo(packets: Int, words: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let head: [UInt8] = [
            0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
        ]
        // ARP, in Ethernet's shortest frame.
        let frame = [UInt8](repeating: 0xff, count: 12) + [8, 6] + [UInt8](repeating: 0, count: 46)
        let record: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 60, 0, 0, 0, 60, 0, 0, 0] + frame
        let bytes = head + (0..<packets).flatMap { _ in record }
        try Data(bytes).write(to: URL(filePath: folder.file("arp.pcap")))
        let result = try Program.run(["import", "arp.pcap", "--out", "arp.har"], in: folder.path)
        #expect(
            result.status == 0 && result.errors.contains("warning: arp.pcap: \(words)\n"),
            "\(result.errors)"
        )
        #expect(!result.errors.contains("the rest is in the capture") && !result.errors.contains("next:"))
    }

    // MARK: - Captures in several files

    private static func entries(_ path: String) throws -> JSONValue? {
        try JSONParser.parse(Array(Data(contentsOf: URL(filePath: path))))["log"]?["entries"]
    }

    /// As `tcpdump -C`, `tcpdump -G` and `dumpcap -b` call them, in an order that is not that of the packets.
    @Test(
        arguments: [
            ["login.pcap", "login.pcap2", "login.pcap10"],
            ["login-10-02-59.pcap", "login-10-03-00.pcap", "login-09-59-59.pcap"],
            // tcpdump -z gzip leaves the newest as it is.
            ["login-1.pcap.gz", "login-2.pcap.gz", "login-3.pcap"],
            ["login_00001_20260101100000.pcap", "login_00002_20260101100001.pcap", "login_00003_2026.pcap"],
        ]
    )
    func filesOfOneCaptureAreReadAsOne(names: [String]) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let all = try PcapFile(Self.recording("packets-app-tls12.pcap"))
        // Within connections, as the size of a file ends where it will.
        let size = all.records.count / 3 + 1
        for (index, name) in names.enumerated() {
            try all.write(all.records.dropFirst(index * size).prefix(size), to: folder.file(name))
            if name.hasSuffix(".gz") { try Self.pack(folder.file(name)) }
        }
        let keys = ["--keylog", Self.recording("packets-app-tls12.keys")]
        let whole = try Program.run(
            ["import", Self.recording("packets-app-tls12.pcap"), "--out", "whole.har"] + keys,
            in: folder.path
        )
        #expect(whole.status == 0, "\(whole.errors)")
        let parts = try Program.run(
            ["import", names[1], names[2], names[0], "--out", "parts.har"] + keys,
            in: folder.path
        )
        #expect(parts.status == 0 && !parts.errors.contains("warning"), "\(parts.errors)")
        #expect(
            parts.errors.contains("read as one capture, in this order: \(names.joined(separator: ", "))"),
            "\(parts.errors)"
        )
        #expect(try Self.entries(folder.file("parts.har")) == Self.entries(folder.file("whole.har")))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(left) == Set(names + ["parts.har", "whole.har"]))
    }

    /// Packed in place.
    private static func pack(_ path: String) throws {
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/bin/sh")
        gzip.arguments = ["-c", "gzip -c < \"$0\" > \"$0.packed\" && mv \"$0.packed\" \"$0\"", path]
        try gzip.run()
        gzip.waitUntilExit()
        #expect(gzip.terminationStatus == 0)
    }

    /// A client's capture with secrets in it, beside what a server's tcpdump saw of the same connections.
    @Test func secretsInOneFileOpenTheOthers() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let keys = try Array(Data(contentsOf: URL(filePath: Self.recording("packets-app-tls12.keys"))))
        let padded = keys + [UInt8](repeating: 0, count: (4 - keys.count % 4) % 4)
        let size = 20 + padded.count
        let section =
            number(0x0a0d_0d0a) + number(28) + number(0x1a2b_3c4d) + [1, 0, 0, 0]
            + [UInt8](repeating: 0xff, count: 8) + number(28)
        let kind = number(10) + number(size) + number(0x544c_534b) + number(keys.count)
        try Data(section + kind + padded + number(size)).write(
            to: URL(filePath: folder.file("client.pcapng"))
        )
        let server = Self.recording("packets-app-tls12.pcap")
        let keyLog = ["--keylog", Self.recording("packets-app-tls12.keys")]
        func urls(_ arguments: [String], _ out: String) throws -> [JSONValue] {
            let result = try Program.run(["import"] + arguments + ["--out", out], in: folder.path)
            #expect(result.status == 0, "\(result.errors)")
            return try Self.entries(folder.file(out))?.array?.compactMap { $0["request"]?["url"] } ?? []
        }
        let wanted = try urls([server] + keyLog, "wanted.har")
        #expect(try urls([server, "client.pcapng"], "both.har") == wanted)
        #expect(try urls([server], "alone.har") != wanted)
    }

    /// As of two interfaces, of which each has one direction, and as of a capture that was stopped and begun anew.
    @Test func filesWithPartsOfTheSameConnectionsAreReadAsOne() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let all = try PcapFile(Self.recording("packets-app-tls12.pcap"))
        let size = all.records.count / 3
        try all.write(all.records.prefix(size), to: folder.file("a.pcap"))
        try all.write(all.records.dropFirst(size), to: folder.file("b.pcap"))
        try all.write(
            all.records.filter { $0.ports.source > $0.ports.destination },
            to: folder.file("eth0.pcap")
        )
        try all.write(
            all.records.filter { $0.ports.source < $0.ports.destination },
            to: folder.file("eth1.pcap")
        )
        let keys = ["--keylog", Self.recording("packets-app-tls12.keys")]
        let whole = try Program.run(
            ["import", Self.recording("packets-app-tls12.pcap"), "--out", "whole.har"] + keys,
            in: folder.path
        )
        #expect(whole.status == 0, "\(whole.errors)")
        for (files, how) in [
            (["b.pcap", "a.pcap"], "in this order: a.pcap, b.pcap"),
            (["eth0.pcap", "eth1.pcap"], "by the times of the packets: eth0.pcap, eth1.pcap"),
        ] {
            let out = "\(files[0]).har"
            let result = try Program.run(["import"] + files + ["--out", out] + keys, in: folder.path)
            #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
            #expect(result.errors.contains("read as one capture, \(how)"), "\(result.errors)")
            #expect(try Self.entries(folder.file(out)) == Self.entries(folder.file("whole.har")))
        }
    }

    /// Of a connection that is in one file only the other has nothing to add.
    @Test func filesWithoutACommonConnectionStayApart() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let all = try PcapFile(Self.recording("packets-app-tls12.pcap"))
        try all.write(
            all.records.filter { $0.ports.source > $0.ports.destination },
            to: folder.file("half.pcap")
        )
        let other = Self.recording("packets-website-tls13.pcapng")
        let result = try Program.run(["import", "half.pcap", other, "--out", "apart.har"], in: folder.path)
        #expect(result.status == 0)
        #expect(!result.errors.contains("read as one capture"), "\(result.errors)")
        #expect(
            result.errors.contains("hint: mergecap -w all.pcapng half.pcap \(other)"),
            "\(result.errors)"
        )
    }
}
