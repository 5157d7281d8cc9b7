import Captures
import Foundation
import Sharing

/// The files that sharing reads as they are and writes.
enum SharedFiles {
    /// Where each capture goes; empty for nowhere.
    ///
    /// - Throws: ``CommandFailure`` when a file is there already: nothing is overwritten.
    static func targets(of captures: [String], out: String?) throws -> [String] {
        guard let out else { return [] }
        var targets = [out]
        if captures.count > 1 {
            try OutputFile.makeFolder(out, example: "shared")
            targets = names(of: captures).map { URL(filePath: out).appending(path: $0).path }
        }
        for target in targets where target != "-" && FileManager.default.fileExists(atPath: target) {
            throw OutputFile.exists(target)
        }
        return targets
    }

    /// What the captures are called in their folder: as they are where they come from, a second one of a name with a number.
    private static func names(of captures: [String]) -> [String] {
        var taken: Set<String> = []
        return captures.map { path in
            let name = path == "-" ? "stdin.har" : URL(filePath: path).lastPathComponent
            let dot = name.lastIndex(of: ".") ?? name.endIndex
            var free = name
            var number = 2
            while !taken.insert(free).inserted {
                free = "\(name[..<dot])-\(number)\(name[dot...])"
                number += 1
            }
            return free
        }
    }

    /// A capture's file as it is.
    static func original(_ path: String) throws -> CaptureSource {
        guard path != "-" else {
            throw CommandFailure(
                .usage,
                "--unredacted takes a file",
                hint: "age -r RECIPIENT encrypts standard input"
            )
        }
        do {
            return try CaptureSource(path: path)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// A place for a text that is going to a target, on the same disk; for one that goes nowhere, or to standard output,
    /// where temporary files are.
    static func scratch(for target: String?) throws -> ScratchFile {
        guard let target, target != "-" else {
            return try ScratchFile(in: FileManager.default.temporaryDirectory.path)
        }
        return try ScratchFile(in: URL(filePath: target).deletingLastPathComponent().path)
    }

    /// Copies a text into a file that only its owner reads, encrypted where there is somebody to encrypt for.
    static func copy(_ source: CaptureSource, to target: String, for recipients: [AgeRecipient]) throws {
        try OutputFile.write(to: target, isPrivate: true) { sink in
            try withoutActuallyEscaping(sink) { sink in
                let writer = try EncryptionOptions.writer(to: recipients, into: sink)
                var offset = 0
                while offset < source.size {
                    let window = source.bytes(at: offset, count: windowSize)
                    guard !window.isEmpty else {
                        throw CommandFailure(
                            .noInput,
                            "the capture has become shorter while it was read",
                            hint: "share a copy of it, made when nothing writes to it any more"
                        )
                    }
                    try writer?.write(window[...]) ?? sink(window[...])
                    offset += window.count
                }
                try writer?.finish()
            }
        }
    }

    private static let windowSize = 1 << 20
}
