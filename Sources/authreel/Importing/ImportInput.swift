import Captures
import Foundation
import JSON

/// Opens what is imported: HAR of any producer, encrypted or not, and packet captures.
struct ImportInput {
    let identities: IdentityOptions
    let keyLogs: [String]
    /// Those in the packet captures that are imported together: what is in one may open another.
    let secrets: [[UInt8]]
    let maximumBodyBytes: Int
    /// Beside which captures of packets wait; nil for the folder of temporary files.
    let target: String?

    /// A file, read as a capture.
    struct Opened {
        var source: CaptureMerger.Source
        /// A capture that it was written to on the way; nil for one that was read as it is.
        var written: UnfinishedFile?
        /// What could not be read of the packets, with its place.
        var packetLosses: [String] = []
        /// Whether a part of its connections is missing that may be in another file.
        var lacksParts = false
        /// What the capture is read from as long as it is used.
        var held: [UnfinishedFile] = []
    }

    /// Opens a file, or the files of one packet capture.
    ///
    /// `progress`: is told how far a packet capture is, from 0 to 1.
    func open(
        _ files: FileGroup,
        progress: @escaping (Double) -> Void,
        beforeAsking: @escaping () -> Void
    ) throws -> Opened {
        guard let path = files.paths.first, files.paths.count == 1 else {
            return try openPackets(files, files.name, [], progress)
        }
        let (source, pipe) = try source(path)
        let name = path == "-" ? "standard input" : path
        guard pipe != nil || PacketInput.isPacketFile(source.bytes(at: 0, count: PacketInput.headSize)) else {
            let capture = try identities.read(source, path: path, beforeAsking: beforeAsking)
            return Opened(source: CaptureMerger.Source(name: name, capture: capture))
        }
        return try openPackets(
            FileGroup(paths: [pipe?.path ?? path]),
            name,
            pipe.map { [$0] } ?? [],
            progress
        )
    }

    /// What to do about a key log that is not there.
    static let whereKeysAre =
        "a program writes its keys where the variable SSLKEYLOGFILE says, before it makes a connection"

    /// Whether a file's bytes may still be on their way.
    static func isPipe(_ path: String) -> Bool {
        var status = stat()
        let found = path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)
        return found == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// What to do about a file that is not there; nil for what is said of any capture.
    static func hint(onMissing path: String) -> String? {
        // A pattern without a match, a variable that is not set.
        guard !path.isEmpty, !path.contains("*") else { return nil }
        if let near = CommandFailure.meant(by: path, among: { _ in true }) { return near }
        guard path.hasSuffix(".pcap") || path.hasSuffix(".pcapng") else { return nil }
        return "packets are recorded by: tcpdump -i any -s 0 -w \(ShellWord.quoted(path))"
    }

    private func openPackets(
        _ files: FileGroup,
        _ name: String,
        _ held: [UnfinishedFile],
        _ progress: @escaping (Double) -> Void
    ) throws -> Opened {
        let file = UnfinishedFile(for: target)
        // One that was to come while the packets did, and has not.
        let missing = keyLogs.filter { $0 != "-" && !FileManager.default.fileExists(atPath: $0) }
        let (capture, losses, lacksParts) = try PacketInput.write(
            files,
            keyLogs: keyLogs.filter { !missing.contains($0) },
            secrets: secrets,
            to: try WrittenCapture(
                newAt: file.path,
                version: Authreel.version,
                logMembers: CaptureMerger.logMembers(of: name)
            ),
            maximumBodyBytes: maximumBodyBytes,
            progress: progress
        )
        return Opened(
            source: CaptureMerger.Source(name: name, capture: capture),
            written: file,
            packetLosses: missing.map { "\($0): no such file: \(Self.whereKeysAre)" } + losses,
            lacksParts: lacksParts,
            held: held + [file]
        )
    }

    /// Opens a file, a pipe or, as `-`, standard input.
    ///
    /// Packets are looked at more than once: those of a pipe are put into a file, which stands beside the target.
    private func source(_ path: String) throws -> (CaptureSource, pipe: UnfinishedFile?) {
        do {
            let descriptor = path == "-" ? dup(STDIN_FILENO) : Foundation.open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                guard errno == ENOENT || errno == ENOTDIR else {
                    throw CaptureError.inputOutput(path: path, number: errno)
                }
                guard let hint = Self.hint(onMissing: path) else {
                    throw CaptureError.noSuchFile(path: path)
                }
                throw CommandFailure(.noInput, "\(path): no such file", hint: hint)
            }
            var status = stat()
            let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
            guard kind != S_IFREG, kind != S_IFDIR else {
                return (try CaptureSource(descriptor: descriptor, name: path), nil)
            }
            var head: [UInt8] = []
            while head.count < PacketInput.headSize {
                let more = try Self.read(descriptor, PacketInput.headSize - head.count, path)
                if more.isEmpty { break }
                head += more
            }
            guard PacketInput.isPacketFile(head) else {
                let source = try CaptureSource(
                    descriptor: descriptor,
                    name: path,
                    scratch: FileManager.default.temporaryDirectory.path,
                    behind: head
                )
                return (source, nil)
            }
            defer { close(descriptor) }
            let file = UnfinishedFile(for: target)
            try Interruption.whilePatient {
                try OutputFile.write(to: file.path, isPrivate: true) { sink in
                    var bytes = head
                    while !bytes.isEmpty {
                        try sink(bytes[...])
                        bytes = try Self.read(descriptor, 1 << 20, path)
                    }
                }
            }
            return (try CaptureSource(path: file.path), file)
        } catch let error as CaptureError {
            throw CommandFailure(error)
        }
    }

    /// What a pipe has; nothing at its end.
    private static func read(_ descriptor: Int32, _ count: Int, _ path: String) throws -> [UInt8] {
        var number: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var found = -1
            repeat {
                found = Foundation.read(descriptor, buffer.baseAddress, count)
            } while found < 0
                && errno == EINTR
            number = found < 0 ? errno : 0
            filled = max(0, found)
        }
        guard number == 0 else {
            throw CaptureError.inputOutput(path: path, number: number)
        }
        return bytes
    }

    /// Hands out all bytes of a source, a piece at a time.
    static func copy(_ source: CaptureSource, to sink: OutputFile.Sink) throws {
        var offset = 0
        while offset < source.size {
            let window = source.bytes(at: offset, count: 1 << 20)
            guard !window.isEmpty else {
                throw CommandFailure(
                    .noInput,
                    "a file has become shorter while it was read",
                    hint: "import a copy of it, made when nothing writes to it any more"
                )
            }
            try sink(window[...])
            offset += window.count
        }
    }
}
