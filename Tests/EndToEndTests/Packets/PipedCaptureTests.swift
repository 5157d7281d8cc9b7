import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// Packets that come through a pipe, as from `tcpdump -w -`, are imported like those of a file.
@Suite(.timeLimit(.minutes(4)))
struct PipedCaptureTests {
    private static func recording(_ name: String) -> String {
        Fixtures.root.appending(path: "Tests/Recordings/\(name)").path
    }

    /// How a pipe is named; `$IN` is what writes the packets, `$RUN` the import up to its first file.
    private static let forms: [(name: String, script: String)] = [
        ("standard input", "$IN | $RUN - $REST"),
        ("its name", "$IN | $RUN /dev/stdin $REST"),
        ("another descriptor", "$IN | { $RUN /dev/fd/3 $REST 3<&0 </dev/null; }"),
        ("a named pipe", "mkfifo pipe; $IN > pipe & $RUN pipe $REST"),
    ]

    @Test(arguments: forms.map(\.name), ["packets-app-tls12.pcap", "packets-website-tls13.pcapng"])
    func pipesAreReadLikeFiles(form: String, recording: String) throws {
        let form = try #require(Self.forms.first { $0.name == form })
        for isPacked in [false, true] {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let keys = Self.recording(recording.replacing(/\.pcap(ng)?$/, with: ".keys"))
            let script = form.script
                .replacing("$IN", with: (isPacked ? "gzip -c " : "cat ") + Self.recording(recording))
                .replacing("$RUN", with: "\(Program.path) import")
                .replacing("$REST", with: "--keylog \(keys) --out piped.har")
            let result = try Program.run(["-c", script], executable: "/bin/sh", in: folder.path)
            #expect(result.status == 0, "\(result.errors)")
            let file = try Program.run(
                ["import", Self.recording(recording), "--keylog", keys, "--out", "file.har"],
                in: folder.path
            )
            #expect(file.status == 0, "\(file.errors)")
            #expect(try Self.entries(folder.file("piped.har")) == Self.entries(folder.file("file.har")))
            // Nothing is left of what was put aside.
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(left).subtracting(["pipe"]) == ["piped.har", "file.har"], "\(left)")
        }
    }

    @Test func keyLogMayComeThroughAPipe() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let packets = Self.recording("packets-app-tls12.pcap")
        let keys = Self.recording("packets-app-tls12.keys")
        for (index, script) in [
            "cat \(keys) | $RUN \(packets) --keylog - $OUT", "$RUN \(packets) --keylog - $OUT < \(keys)",
            "cat \(keys) | $RUN \(packets) --keylog /dev/stdin $OUT",
            "mkfifo pipe; cat \(keys) > pipe & $RUN \(packets) --keylog pipe $OUT",
        ].enumerated() {
            let script = script.replacing("$RUN", with: "\(Program.path) import")
                .replacing("$OUT", with: "--out \(index).har")
            let result = try Program.run(["-c", script], executable: "/bin/sh", in: folder.path)
            #expect(result.status == 0 && !result.errors.contains("could not be read"), "\(result.errors)")
            let entries = try Self.entries(folder.file("\(index).har"))
            #expect(entries == (try Self.entries(folder.file("0.har"))))
        }
        let result = try Program.run(["import", "-", "--keylog", "-", "--out", "x.har"], in: folder.path)
        #expect(result.status == 64 && result.errors.contains("standard input is one file"))
    }

    /// The program that writes the keys is started while the packets come, or is not started at all.
    @Test func keyLogMayComeWhileThePacketsDo() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let packets = Self.recording("packets-app-tls12.pcap")
        let keys = Self.recording("packets-app-tls12.keys")
        // The packets end once the import has said that it waits for the keys.
        let script = """
            mkfifo pipe
            { cat \(packets); until grep -qs 'is not there yet' told; do sleep 0.05; done; $KEYS; } > pipe &
            \(Program.path) import pipe --keylog late.keys --out login.har 2> told
            status=$?; cat told >&2; exit $status
            """
        for isThere in [true, false] {
            let result = try Program.run(
                ["-c", script.replacing("$KEYS", with: isThere ? "cp \(keys) late.keys" : "true")],
                executable: "/bin/sh",
                in: folder.path
            )
            let waits = "authreel: late.keys is not there yet; it is read when the packets have ended\n"
            #expect(result.status == 0 && result.errors.hasPrefix(waits), "\(result.errors)")
            #expect(result.errors.contains("late.keys: no such file") != isThere, "\(result.errors)")
            #expect(result.errors.contains("could not be read") != isThere, "\(result.errors)")
            for name in ["pipe", "login.har", "late.keys"] {
                try? FileManager.default.removeItem(atPath: folder.file(name))
            }
        }
        // Of a file it is known at once that they are missing.
        let result = try Program.run(
            ["import", packets, "--keylog", "late.keys", "--out", "x.har"],
            in: folder.path
        )
        #expect(result.status == 66 && result.errors.contains("late.keys: no such file"), "\(result.errors)")
    }

    /// What is said of the packets names them as the rest does.
    @Test func whatCouldNotBeReadIsOfStandardInput() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let script =
            "head -c 27 \(Self.recording("packets-app-tls12.pcap")) | \(Program.path) import - --out cut.har"
        let result = try Program.run(["-c", script], executable: "/bin/sh", in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("warning: standard input: byte 24, packet 1: "), "\(result.errors)")
    }

    @Test(arguments: [("/dev/zero", 66, "/dev/zero: is a device"), ("/dev/null", 65, "an empty file")])
    func deviceIsNoCapture(path: String, status: Int, words: String) throws {
        let result = try Program.run(["diagnose", path])
        #expect(Int(result.status) == status && result.errors.contains(words), "\(result.errors)")
    }

    /// `tcpdump -w - | authreel import -`: Ctrl-C reaches both, and ends the one that records; what it wrote is imported.
    @Test(arguments: [1, 2]) func firstInterruptionIsForWhoWritesThePipe(interruptions: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let packets = try Data(contentsOf: URL(filePath: Self.recording("packets-app-tls12.pcap")))
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments = ["import", "-", "--out", folder.file("login.har")]
        let (input, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        try input.fileHandleForWriting.write(contentsOf: packets.prefix(10_000))
        // It listens to signals once what came is put aside.
        while !(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.file(name))
            return (attributes?[.size] as? Int ?? 0) > 0
        }) {
            try #require(process.isRunning)
            usleep(10_000)
        }
        kill(process.processIdentifier, SIGINT)
        var told = Data()
        while !String(decoding: told, as: UTF8.self).contains("Ctrl-C again") {
            let more = errors.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            told += more
        }
        if interruptions == 2 { kill(process.processIdentifier, SIGINT) }
        if interruptions == 1 {
            try input.fileHandleForWriting.write(contentsOf: packets.dropFirst(10_000))
            try input.fileHandleForWriting.close()
        }
        process.waitUntilExit()
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        if interruptions == 1 {
            #expect(process.terminationStatus == 0 && left == ["login.har"])
        } else {
            #expect(process.terminationReason == .uncaughtSignal && left == [])
        }
    }

    private static func entries(_ path: String) throws -> JSONValue? {
        try JSONParser.parse(Array(Data(contentsOf: URL(filePath: path))))["log"]?["entries"]
    }
}
