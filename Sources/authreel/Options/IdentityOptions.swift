import ArgumentParser
import Captures
import Foundation
import Reports
import Sharing

/// Who opens captures that are encrypted; the one way by which commands read captures.
struct IdentityOptions: ParsableArguments {
    @Option(
        name: [.customShort("i"), .customLong("identity")],
        help: ArgumentHelp(
            "Open a capture that is encrypted with age by the key in this file. Repeatable.",
            discussion:
                "As age-keygen writes it; AUTHREEL_IDENTITY names one, too. Where a passphrase opens it, that is asked for.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var files: [String] = []

    static let variable = "AUTHREEL_IDENTITY"

    func validate() throws {
        guard files.contains("-") else { return }
        throw ValidationError("--identity takes a file: standard input may be the capture")
    }

    /// Makes sure that the files which options name are there, whether a capture wants them or not.
    ///
    /// - Throws: ``CommandFailure`` where one is not.
    func check() throws(CommandFailure) {
        for file in files { try InputFile.check(file, for: IdentityFile.use) }
    }

    /// Reads a capture of which something is there; what was lost (a torn end, an entry cut off) is said on stderr, and the
    /// rest is used.
    ///
    /// Of one of which not one entry came to its end nothing is known: whoever shows or shares it would take it for empty. One that is encrypted with age is decrypted in memory, see ``EncryptedCapture``; identities are read for such a
    /// capture only, but those that options name have to be there for any.
    /// - Parameters:
    ///   - path: of the capture; `-` is standard input.
    ///   - beforeAsking: called before a passphrase is asked for on the terminal.
    /// - Returns: the capture.
    /// - Throws: ``CommandFailure`` when it cannot be read, is not HAR, does not open, or is cut off within its first entry.
    func read(_ path: String, beforeAsking: @escaping () -> Void = {}) throws(CommandFailure) -> Capture {
        let source: CaptureSource
        do throws(CaptureError) {
            source = try CaptureSource(path: path)
        } catch {
            throw CommandFailure(error)
        }
        let capture = try read(source, path: path, beforeAsking: beforeAsking)
        guard capture.count == 0, capture.isCutShort else { return capture }
        throw CommandFailure(
            .dataError,
            "\(Self.name(path)): not one entry of it is whole",
            hint: "the file is cut off: export or copy it once more, to its end"
        )
    }

    private static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// Reads a capture that is open already, as ``read(_:beforeAsking:)`` does, however little of it is there.
    func read(
        _ source: CaptureSource,
        path: String,
        beforeAsking: @escaping () -> Void = {}
    ) throws(CommandFailure) -> Capture {
        try check()
        var capture: Capture
        do {
            let name = Self.name(path)
            let beginning = source.bytes(at: 0, count: AgeFile.recognizedBytes)
            capture =
                AgeFile.isBegun(by: beginning)
                ? try CaptureReader.read(bytes: decrypted(source, name, beforeAsking), name: name)
                : try CaptureReader.read(
                    source,
                    name: name,
                    scratch: FileManager.default.temporaryDirectory.path
                )
            if path != "-" { capture.takeBodies(fromFilesBeside: path) }
        } catch let error as CaptureError {
            throw CommandFailure(error)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.bug, "\(path): \(error)")
        }
        if let redaction = capture.redaction { StandardError.note("\(path) is \(redaction.words)") }
        for note in ClockNotes.notes(on: capture) { StandardError.note("\(path): \(note)") }
        for loss in capture.losses { StandardError.warn("\(path): \(loss)") }
        return capture
    }

    private func decrypted(_ source: CaptureSource, _ name: String, _ beforeAsking: @escaping () -> Void)
        throws -> [UInt8]
    {
        let prompt = PassphrasePrompt { question in
            beforeAsking()
            return try SecretPrompt.ask(question)
        }
        return try EncryptedCapture(source, name: name).text(prompt: prompt) {
            try identities(environment: ProcessInfo.processInfo.environment, prompt: prompt)
        }
    }

    /// The identities of all files that are named.
    func identities(environment: [String: String], prompt: PassphrasePrompt) throws -> [AgeIdentity] {
        var identities = try files.flatMap { try IdentityFile.identities(at: $0, prompt: prompt) }
        // A variable that is empty is not set, as everywhere.
        guard let path = environment[Self.variable], !path.isEmpty else { return identities }
        do {
            identities += try IdentityFile.identities(at: path, prompt: prompt)
        } catch var failure as CommandFailure {
            // Whoever has set it long ago does not look for the reason there.
            failure.message = "\(Self.variable): \(failure.message)"
            throw failure
        }
        return identities
    }
}
