import Captures
import Foundation
import JSON
import Proxy

/// Opens the capture of a recording, before anything else is begun.
enum CaptureOpening {
    /// Below this there is soon no room for what a login brings.
    private static let scarcity = 16 << 20

    /// Looks whether new exchanges can be written, before anything is sent.
    ///
    /// Not behind one of the captures that they come from: they would be part of it the next time.
    ///
    /// - Parameters:
    ///   - path: where they are to go.
    ///   - captures: as the command line names them.
    ///   - use: what becomes of the captures: `replayed`.
    ///   - hint: what to do instead.
    /// - Throws: ``CommandFailure`` where it is one of them, under whatever name, or no file can be made there.
    static func check(_ path: String?, isNoneOf captures: [String], use: String, hint: String)
        throws(CommandFailure)
    {
        guard let path else { return }
        guard path != "-" else { throw CommandFailure(.usage, OutputFile.growing) }
        guard !captures.contains(where: { OutputFile.isOne($0, path) }) else {
            throw CommandFailure(.usage, "--out \(path) is what is \(use)", hint: hint)
        }
        var status = stat()
        // Another file may be a capture of ours, which is appended to.
        guard lstat(path, &status) == 0 else { return try OutputFile.check(path, option: "--out FILE.har") }
        guard status.st_mode & S_IFMT != S_IFLNK else {
            throw OutputFile.unmade(path, "is a symbolic link", hint: Self.hint(on: path))
        }
        guard FileKind(at: path) != .folder else {
            throw OutputFile.unmade(path, EISDIR.systemReason, hint: Self.hint(on: path))
        }
    }

    /// Opens it, or makes it.
    ///
    /// - Parameter path: as named by the user.
    /// - Returns: its writer.
    /// - Throws: ``CommandFailure`` where it cannot be written, with what to do.
    static func open(_ path: String) throws -> CaptureWriter {
        try open(path) { path throws(CaptureError) in try CaptureWriter(path: path, version: Authreel.version)
        }
    }

    /// Makes one with a name that says when: `authreel-2026-11-21-034501.har`, in UTC.
    ///
    /// Recordings that begin in one second have a capture each.
    ///
    /// - Parameters:
    ///   - time: when the recording begins.
    ///   - folder: with a slash at its end; the current one where it is empty.
    /// - Returns: its writer.
    /// - Throws: ``CommandFailure`` where it cannot be written, with what to do.
    static func make(at time: Timestamp, in folder: String = "") throws -> CaptureWriter {
        let text = time.rfc3339
        let clock = text.dropFirst(11).prefix(8).filter { $0 != ":" }
        return try open("\(folder)authreel-\(text.prefix(10))-\(clock).har") { path throws(CaptureError) in
            try CaptureWriter.firstFree(beside: path) { name throws(CaptureError) in
                try CaptureWriter(newAt: name, version: Authreel.version, logMembers: [:])
            }
        }
    }

    private static func open(_ path: String, _ make: (String) throws(CaptureError) -> CaptureWriter) throws
        -> CaptureWriter
    {
        let writer: CaptureWriter
        do throws(CaptureError) {
            writer = try make(path)
        } catch {
            guard case .inputOutput(_, let reason) = error else { throw CommandFailure(error) }
            throw OutputFile.unmade(path, reason, hint: hint(on: path))
        }
        if let free = writer.freeBytes, free < scarcity {
            StandardError.warn("there is room for \(free >> 10) KB only where \(writer.path) is")
        }
        return writer
    }

    /// What to name instead of what cannot be written.
    private static func hint(on path: String) -> String {
        if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
            let folder = target.hasPrefix("/") ? "" : path.lastIndex(of: "/").map { path[...$0] } ?? ""
            return "name the file that it leads to: --out \(ShellWord.quoted(folder + target))"
        }
        if FileKind(at: path) == .folder {
            let folder = path.hasSuffix("/") ? path : path + "/"
            return "name a file in it: --out \(ShellWord.quoted(folder + "login.har"))"
        }
        return "name a file in a folder that is there, with room, and yours to write: --out FILE.har"
    }
}
