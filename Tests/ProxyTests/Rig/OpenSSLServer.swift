import Foundation
import Synchronization
import TestSupport

/// `openssl s_server` on loopback: another implementation's server, which tells what was agreed on its page.
///
/// OpenSSL's own, like ours, but with its options: old versions, client certificates, a key log.
final class OpenSSLServer: Sendable {
    /// Where it listens.
    let port: Int
    private let process: Process
    private let folder: TemporaryFolder

    static let program = "/usr/bin/openssl"

    /// Starts one with a page about the connection at every path.
    ///
    /// - Parameters:
    ///   - chain: its certificate and what follows it, PEM.
    ///   - key: PEM.
    ///   - clientAuthority: the certificate, PEM, that clients' certificates are from; nil asks for none.
    ///   - insists: whether a client has to show one then.
    ///   - options: of `openssl s_server`, besides.
    /// - Throws: ``Failure/ended(_:)`` when it does not come to listening.
    init(
        chain: String,
        key: String,
        clientAuthority: String? = nil,
        insists: Bool = true,
        options: [String] = []
    ) throws {
        let folder = try TemporaryFolder()
        try (chain + key).write(toFile: folder.file("server.pem"), atomically: true, encoding: .utf8)
        var arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", folder.file("server.pem"), "-www",
        ]
        if let clientAuthority {
            try clientAuthority.write(toFile: folder.file("ca.pem"), atomically: true, encoding: .utf8)
            arguments += [
                insists ? "-Verify" : "-verify", "3", "-verify_return_error", "-CAfile",
                folder.file("ca.pem"),
            ]
        }
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = arguments + options
        // It ends with its input.
        process.standardInput = Pipe()
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("ACCEPT 127.0.0.1:") || !text.hasSuffix("\n") {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw Failure.ended(text) }
            text += String(decoding: bytes, as: UTF8.self)
        }
        // Nobody reads on: what it prints of each connection would fill the pipe.
        output.fileHandleForReading.readabilityHandler = { handle in
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") } ?? ""
        port = Int(line.split(separator: ":").last ?? "") ?? 0
        self.process = process
        self.folder = folder
    }

    enum Failure: Error {
        case ended(String)
    }

    // Also where a test gave up before its end.
    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func stop() {
        // It was started by a thread that blocks SIGTERM, and so blocks it too.
        Program.end(process, by: SIGKILL)
        folder.remove()
    }
}
