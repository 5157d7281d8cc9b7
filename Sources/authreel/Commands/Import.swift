import ArgumentParser
import Captures
import Foundation
import JSON
import Proxy

/// Makes one capture of what others have recorded.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes one capture of several: of browsers, proxies and servers, each exchange once.",
        discussion: """
            Files are HAR of any producer, and packet captures (pcap, pcapng), which --keylog opens. What two of them have is recognised and stands once, with what each of them \
            knows; the entry says where it was seen (_authreel.seen), and what the files tell differently (_authreel.differs).

            Clocks are compared by the exchanges that two files both have, or by their servers' Date fields. How they lie to \
            each other is told here and stands in the capture; entries keep the times of their own clock, and authreel reads \
            them by one. --align-clocks moves the times in the file, for other programs.

            Nothing is overwritten, and nothing is left of a capture that does not come to its end.

            Examples:
              authreel import browser.har server.har --out login.har
              authreel import browser.har server.har --align-clocks --out login.har
              authreel import server.pcap --keylog keys.log --out login.har
              authreel import browser.har server.pcap --keylog keys.log --out login.har
              # one file: the same, an entry a line
              authreel import firefox.har --out login.har
              authreel import a.har b.har --out login.har --format json | jq .flows
              ssh server cat login.har | authreel import browser.har - --out login.har
            """
    )

    @Argument(
        help: ArgumentHelp(
            "What was recorded; the times of the others are compared with those of the first. - is standard input.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var files: [String]
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The capture, which must not exist. - is standard output.", valueName: "FILE.har"),
        completion: .file()
    )
    var out: String
    @Option(
        name: .customLong("keylog"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "TLS secrets for packet captures, as SSLKEYLOGFILE makes them. Repeatable.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var keyLogs: [String] = []
    @Flag(help: "Move all times to the first file's clock, and say in each entry by how much.")
    var alignClocks = false
    @Option(
        name: .customLong("max-body"),
        help: ArgumentHelp(
            "Bytes of a body that are kept of packet captures (suffixes K, M, G); HAR is taken as it is.",
            valueName: "SIZE"
        )
    )
    var maximumBody = "4M"
    @Option(
        help: ArgumentHelp(
            "How the summary is told: text on standard error, or json on standard output.",
            valueName: "FORMAT"
        )
    )
    var format: OutputFormat = .text
    @OptionGroup var identities: IdentityOptions

    func validate() throws {
        guard (files + keyLogs).count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("standard input is one file: name - once")
        }
        guard out != "-" || format == .text else {
            throw ValidationError(
                "--out - and --format json both take standard output: name a file with --out"
            )
        }
    }

    func run() throws {
        let maximumBodyBytes = try LimitOptions.bytes(maximumBody, "--max-body", example: "16M")
        let target = out == "-" ? nil : out
        // What cannot be written in the end is not begun.
        if let target { try OutputFile.check(target, option: "--out FILE.har") }
        try checkKeyLogs()
        // A file that may not grow is told of like a full disk, and does not end us.
        signal(SIGXFSZ, SIG_IGN)
        let outcome = try merge(
            ImportInput(
                identities: identities,
                keyLogs: keyLogs,
                secrets: files.count > 1 ? PacketSeries.secrets(in: files) : [],
                maximumBodyBytes: maximumBodyBytes,
                target: target
            )
        )
        let file = outcome.file
        let summary = ImportSummary(
            report: outcome.report,
            logins: ImportSummary.logins(
                in: try outcome.capture ?? CaptureReader.read(path: file.path),
                files: outcome.files
            ),
            packetLosses: outcome.packetLosses
        )
        if let target {
            try file.finish(as: target)
        } else {
            let source = try CaptureSource(path: file.path)
            // Whoever stops reading ends us: nothing is left then either.
            file.remove()
            try ImportInput.copy(source) { try StandardOutput.write($0) }
        }
        tell(summary)
    }

    /// Before anything is read, which may take long.
    ///
    /// While packets come through a pipe, the program may yet be started that writes the keys.
    private func checkKeyLogs() throws {
        let mayCome = files.contains(where: ImportInput.isPipe)
        for path in keyLogs where path != "-" {
            let kind = FileKind(at: path)
            guard kind == nil || kind == .folder else { continue }
            if kind == nil, mayCome, !path.isEmpty {
                StandardError.note("\(path) is not there yet; it is read when the packets have ended")
                continue
            }
            throw CommandFailure(
                .noInput,
                kind == .folder ? "\(path) is a folder" : "\(CommandFailure.shown(path)): no such file",
                hint: ImportInput.whereKeysAre
            )
        }
    }

    /// What is left of the files when they are one.
    private struct Outcome {
        var file: UnfinishedFile
        /// What is in the file, where that need not be read again.
        var capture: Capture?
        var report: MergeReport
        /// The files that tell of each exchange.
        var files: [[String]]
        var packetLosses: [(name: String, what: [String])]
    }

    /// Of several files nothing is in memory any more when this returns.
    private func merge(_ input: ImportInput) throws -> Outcome {
        let opened = try open(input)
        let merger = CaptureMerger(
            opened.map(\.source),
            alignsClocks: alignClocks,
            joinsSides: opened.contains { $0.written != nil }
        )
        // What was written out of the packets may be what is asked for.
        let written = merger.isOneFileAsItIs ? opened[0].written : nil
        let file = written ?? UnfinishedFile(for: input.target)
        let differing = try written == nil ? write(merger, to: file.path) : 0
        return Outcome(
            file: file,
            capture: written == nil ? nil : opened[0].source.capture,
            report: merger.report(differing: differing),
            files: (0..<merger.count).map { merger.files(ofExchange: $0) },
            packetLosses: opened.map { ($0.source.name, $0.packetLosses) }
        )
    }

    private func open(_ input: ImportInput) throws -> [ImportInput.Opened] {
        let progress = ProgressBar("reading", total: files.count * 100)
        defer { progress.clear() }
        var done = 0
        let opened = try PacketSeries.grouped(files).map { files in
            let (name, before, count) = (files.name, done, files.paths.count)
            progress.show(before * 100, name)
            if count > 1 {
                progress.clear()
                StandardError.note(
                    "read as one capture, \(files.areOfOneTime ? "by the times of the packets" : "in this order"): "
                        + files.paths.joined(separator: ", ")
                )
            }
            let opened = try input.open(
                files,
                progress: {
                    progress.show(before * 100 + Int(100 * Double(count) * min(max($0, 0), 1)), name)
                },
                beforeAsking: progress.clear
            )
            done += count
            for loss in opened.packetLosses { StandardError.warn("\(opened.source.name): \(loss)") }
            return opened
        }
        tellOfParts(opened)
        tellOfKeys(opened)
        return opened
    }

    /// Packets of one connection that are in several files are put together only where these are one capture.
    private func tellOfParts(_ opened: [ImportInput.Opened]) {
        let packets = opened.filter { $0.written != nil }
        guard packets.count > 1, packets.contains(where: \.lacksParts) else { return }
        let names = packets.map(\.source.name).joined(separator: " ")
        StandardError.warn(
            "connections whose packets are in several of these files are not put together; where that is so:"
        )
        StandardError.note("hint: mergecap -w all.pcapng \(names)")
    }

    /// Whoever names keys means packets: where none are, they have been forgotten.
    private func tellOfKeys(_ opened: [ImportInput.Opened]) {
        guard !keyLogs.isEmpty, opened.allSatisfy({ $0.written == nil }) else { return }
        let isOne = files.count == 1
        StandardError.warn(
            "--keylog opens packets, and \(isOne ? "this file has none" : "none of these files has any"): nothing was taken of "
                + keyLogs.joined(separator: ", ")
        )
    }

    /// Writes the capture, and counts the exchanges that the files tell differently.
    private func write(_ merger: CaptureMerger, to path: String) throws -> Int {
        let progress = ProgressBar("writing", total: merger.count)
        defer { progress.clear() }
        do throws(CaptureError) {
            let writer = try CaptureWriter(
                newAt: path,
                version: Authreel.version,
                logMembers: merger.logMembers
            )
            return try merger.write(to: writer) { progress.show($0, out) }
        } catch {
            guard case .inputOutput(_, let reason) = error else { throw CommandFailure(error) }
            throw OutputFile.unfinished(out, reason)
        }
    }

    private func tell(_ summary: ImportSummary) {
        if format == .json {
            print(JSONWriter.text(of: summary.json(out), indented: true))
        } else {
            for line in summary.lines(out == "-" ? "standard output" : out) { StandardError.note(line) }
        }
        guard out != "-", format == .text, summary.report.exchanges > 0 else { return }
        if summary.isLossy {
            StandardError.note("what could not be read is told above; the rest is in the capture")
        }
        StandardError.note(
            "next: \(Invocation.command(summary.logins.isEmpty ? "view" : "diagnose", out))"
        )
    }
}
