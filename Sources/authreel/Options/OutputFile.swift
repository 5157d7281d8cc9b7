import Captures
import Foundation
import Proxy

/// Results that go to a file or, as `-`, to standard output.
enum OutputFile {
    /// Takes the next bytes of what is written.
    typealias Sink = (ArraySlice<UInt8>) throws -> Void

    /// Why a recording does not go to standard output.
    static let growing =
        "a recording grows in a file that is whole at any time, which standard output is not: --out FILE.har"

    /// A name for a capture.
    static let capture = "login.har"

    /// What helps where a file cannot be made.
    static let writable = "name a file in a folder that is there, and yours to write"

    /// Writes the bytes.
    ///
    /// - Parameters:
    ///   - bytes: all of the file.
    ///   - path: where.
    ///   - isPrivate: only its owner may read the file.
    ///   - example: a name for one of its kind.
    /// - Throws: ``CommandFailure`` when the file exists (nothing is overwritten) or cannot be written.
    static func write(
        _ bytes: [UInt8],
        to path: String,
        isPrivate: Bool = false,
        example: String = capture
    ) throws {
        try write(to: path, isPrivate: isPrivate, example: example) { try $0(bytes[...]) }
    }

    /// Writes piece by piece; a file that does not come to its end is removed again.
    ///
    /// `isPrivate`: only its owner may read the file. `example`: a name for one of its kind.
    /// Throws ``CommandFailure`` when the file exists (nothing is overwritten) or cannot be written, and what `body` throws.
    static func write(
        to path: String,
        isPrivate: Bool = false,
        example: String = capture,
        _ body: (Sink) throws -> Void
    ) throws {
        guard path != "-" else { return try body(StandardOutput.write) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o666)
        guard descriptor >= 0 else {
            guard errno != EEXIST else { throw exists(path, example: example) }
            throw unmade(path, errno.systemReason, hint: writable)
        }
        do {
            defer { close(descriptor) }
            try body { try append($0, to: descriptor, named: path) }
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Looks whether a file could be written, before what is to be written there is made.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - option: the one that names it, with an example.
    /// - Throws: ``CommandFailure`` where something is there already, or its folder is not to be written to.
    static func check(_ path: String, option: String) throws(CommandFailure) {
        guard path != "-" else { return }
        guard !path.isEmpty else { throw unnamed }
        var status = stat()
        guard lstat(path, &status) != 0 else {
            let name = option.split(separator: " ").last ?? "FILE.har"
            throw exists(path, example: String(name).replacing("FILE", with: "login"))
        }
        guard access(URL(filePath: path).deletingLastPathComponent().path, W_OK) == 0 else {
            throw unmade(path, errno.systemReason, hint: "\(writable): \(option)")
        }
    }

    /// Whether two names lead to one file, or would.
    static func isOne(_ path: String, _ other: String) -> Bool {
        let identity = { (path: String) -> [UInt64]? in
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return [UInt64(status.st_dev), UInt64(status.st_ino)]
        }
        let place = { (path: String) in URL(filePath: path).standardizedFileURL.path }
        guard let one = identity(path), let two = identity(other) else {
            return path != "-" && place(path) == place(other)
        }
        return one == two
    }

    /// Makes a folder that several files go to, unless it is there.
    ///
    /// - Parameters:
    ///   - path: of the folder.
    ///   - example: a name that would do.
    /// - Throws: ``CommandFailure`` where something else has its name, or it cannot be made.
    static func makeFolder(_ path: String, example: String) throws(CommandFailure) {
        guard !path.isEmpty else {
            throw CommandFailure(
                .noInput,
                "the name of the folder for the captures is empty",
                hint: "a variable that is not set is none: name the folder itself, as in --out \(example)"
            )
        }
        switch FileKind(at: path) {
        case .folder: return
        case .file, .other:
            throw CommandFailure(
                .usage,
                "\(path) is a file, and several captures go into a folder",
                hint: "name one that is there, or is to be made: --out \(example)"
            )
        case nil: break
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
            let cause = (underlying ?? error) as NSError
            let reason =
                cause.domain == NSPOSIXErrorDomain
                ? Int32(cause.code).systemReason : cause.localizedDescription
            throw CommandFailure(
                .noInput,
                "the folder \(path) cannot be made: \(reason)",
                hint: "name a folder in one that is there, and yours to write: --out DIR"
            )
        }
    }

    /// That nothing names the file.
    private static var unnamed: CommandFailure {
        CommandFailure(
            .noInput,
            "the name of the file to be written is empty",
            hint: "a variable that is not set is none: name the file itself"
        )
    }

    /// That a file cannot be made, for the system's reason.
    static func unmade(_ path: String, _ reason: String, hint: String) -> CommandFailure {
        path.isEmpty ? unnamed : CommandFailure(.noInput, "\(path) cannot be written: \(reason)", hint: hint)
    }

    /// That a file that was begun cannot be written to its end, for the system's reason.
    static func unfinished(_ path: String, _ reason: String) -> CommandFailure {
        guard !path.isEmpty else { return unnamed }
        let full = [ENOSPC, EDQUOT, EFBIG].map(\.systemReason)
        let isFull = full.contains(reason)
        return CommandFailure(
            .unavailable,
            "\(path) cannot be written: \(reason)",
            hint: (isFull ? "make room there, or " : "") + "write to another place"
        )
    }

    /// That a file is there already, which stays as it is; `example`: a name for one of its kind in a folder.
    static func exists(_ path: String, example: String = capture) -> CommandFailure {
        if FileKind(at: path) == .folder {
            let example = URL(filePath: path).appending(path: example).relativePath
            return CommandFailure(
                .noInput,
                "\(path) is a folder, and one file is written",
                hint: "name the file in it, for example \(example)"
            )
        }
        return CommandFailure(
            .noInput,
            "\(path) exists and is not overwritten",
            hint: "choose another name, or remove the file first"
        )
    }

    /// Writes all of the bytes; to standard output as many as somebody reads.
    ///
    /// Throws ``CommandFailure`` with the system's reason when it takes no more of them.
    static func append(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, named path: String) throws {
        try bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = Foundation.write(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    buffer.count - done
                )
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EPIPE, descriptor == STDOUT_FILENO { return }
                guard count > 0 else { throw unfinished(path, errno.systemReason) }
                done += count
            }
        }
    }
}
