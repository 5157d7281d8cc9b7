import Foundation
import LibCrypto
import TestSupport

/// nghttp2's server (`nghttpd`), or its proxy in front of an HTTP/1.1 server (`nghttpx`), over TLS on 127.0.0.1.
///
/// `@unchecked Sendable`: the process is started once and afterwards only signalled, which `Foundation` guards.
final class NGHTTP2Server: @unchecked Sendable {
    /// The programs, and the clients that are tried with them.
    static let programs = ["nghttpd", "nghttpx", "nghttp", "h2load", "curl"]

    /// Whether all are installed; with `CI` set they have to be.
    static var isAvailable: Bool {
        #if os(Linux)
        RealComponents.isRequired || programs.allSatisfy { path($0) != nil }
        #else
        false
        #endif
    }

    static func path(_ program: String) -> String? {
        ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/"].map { $0 + program }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    struct Failure: Error, CustomStringConvertible { var description: String }

    let port: Int
    /// The authority that its certificate, for `localhost`, is from.
    let authority: String
    private let process: Process

    private init(_ process: Process, port: Int, authority: String) {
        self.process = process
        self.port = port
        self.authority = authority
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Without a word: it inherits the signals that test runners block, and would not hear of another.
    func stop() { Program.end(process, by: SIGKILL) }

    /// Serves the files of a folder, HTTP/2 only.
    static func serving(_ files: String, options: [String], folder: TemporaryFolder) throws -> NGHTTP2Server {
        let (authority, certificate, key) = try certificates(in: folder)
        let arguments = ["--address=127.0.0.1", "--htdocs=\(files)"] + options + ["0", key, certificate]
        let process = try start("nghttpd", arguments, log: folder.file("nghttpd.log"))
        guard let port = port(of: process) else {
            Program.end(process, by: SIGKILL)
            throw Failure(description: "nghttpd does not listen")
        }
        return NGHTTP2Server(process, port: port, authority: authority)
    }

    /// Stands before an HTTP/1.1 server on 127.0.0.1 and speaks HTTP/2 and HTTP/1.1.
    ///
    /// `isInClear`: without TLS; a request may then ask for HTTP/2 (`Upgrade: h2c`).
    static func fronting(_ backend: Int, isInClear: Bool = false, folder: TemporaryFolder) throws
        -> NGHTTP2Server
    {
        let (authority, certificate, key) = try certificates(in: folder)
        // It takes no port 0; a port that another has taken meanwhile is given up for the next.
        for _ in 0..<5 {
            let free = try RealComponents.run(["free-port"]).output.trimmingCharacters(
                in: .whitespacesAndNewlines
            )
            let arguments = [
                "--frontend=127.0.0.1,\(free)\(isInClear ? ";no-tls" : "")", "--backend=127.0.0.1,\(backend)",
                "--workers=1", "--no-ocsp",
                "--single-process", "--conf=/dev/null", "--pid-file=\(folder.file("nghttpx.pid"))", key,
                certificate,
            ]
            let process = try start("nghttpx", arguments, log: folder.file("nghttpx.log"))
            if let port = port(of: process), "\(port)" == free {
                return NGHTTP2Server(process, port: port, authority: authority)
            }
            Program.end(process, by: SIGKILL)
        }
        throw Failure(description: "nghttpx does not listen")
    }

    private static func start(_ program: String, _ arguments: [String], log: String) throws -> Process {
        guard let path = path(program) else { throw Failure(description: "\(program) is not installed") }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        return process
    }

    /// Where a process listens, by its sockets in `/proc`; nil where it ends before it does, or does not.
    private static func port(of process: Process) -> Int? {
        let folder = "/proc/\(process.processIdentifier)/fd"
        let deadline = Date.now.addingTimeInterval(20)
        while Date.now < deadline, process.isRunning {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let sockets = Set(
                files.compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
                }
                .filter { $0.hasPrefix("socket:[") }.map { String($0.dropFirst(8).dropLast()) }
            )
            // Its size is not known before it is read to the end.
            let table = try? FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd()
            // Number, own address, peer's, state (0A listens), …, inode at the tenth place.
            for line in String(decoding: table ?? Data(), as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count > 9, words[3] == "0A", sockets.contains(String(words[9])) else { continue }
                return words[1].split(separator: ":").last.flatMap { Int($0, radix: 16) }
            }
            usleep(10_000)
        }
        return nil
    }

    private static func certificates(in folder: TemporaryFolder) throws -> (
        authority: String, certificate: String, key: String
    ) {
        let now = Int64(Date.now.timeIntervalSince1970)
        let validity = CertificateIssuer.Validity(notBefore: now - 86_400, notAfter: now + 86_400)
        let rootKey = try PrivateKey.generate(.elliptic(.p256))
        let root = try CertificateIssuer.authority(
            commonName: "test origin",
            key: rootKey,
            validity: validity
        )
        let key = try PrivateKey.generate(.elliptic(.p256))
        let issuer = try CertificateIssuer(certificate: root, key: rootKey)
        let leaf = try issuer.leaf(for: .host("localhost"), key: key, validity: validity)
        let paths = ["root.pem", "leaf.pem", "leaf.key"].map(folder.file)
        for (path, text) in zip(paths, [root.pem, leaf.pem, key.pem]) {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        return (paths[0], paths[1], paths[2])
    }
}
