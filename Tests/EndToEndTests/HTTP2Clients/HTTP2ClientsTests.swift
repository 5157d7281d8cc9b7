import Captures
import Foundation
import TestSupport
import Testing

/// curl, nghttp and h2load over HTTP/2 with and without the recorder: the same answers, and all of them recorded.
@Suite(
    .serialized,
    .enabled(if: NGHTTP2Server.isAvailable, "nghttp2's programs or curl are not installed"),
    .timeLimit(.minutes(5))
)
struct HTTP2ClientsTests {
    // MARK: - The stage

    /// `nghttpd` with files to serve, and a recorder on the way to it.
    private struct Stage {
        let folder: TemporaryFolder
        let server: NGHTTP2Server
        let recorder: RecorderProcess
        let relay: ConnectRelay

        /// Longer than every window.
        static let large = (0..<4_000).map { "line \($0) of a long body: \($0 &* 2_654_435_761)\n" }.joined()
        static let megabytes = String(repeating: large, count: 18)

        init(_ options: [String]) async throws {
            folder = try TemporaryFolder()
            let files = folder.file("files")
            for path in [files, files + "/folder"] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try "hello\n".write(toFile: files + "/hello.txt", atomically: true, encoding: .utf8)
            try "b { color: red }\n".write(toFile: files + "/style.css", atomically: true, encoding: .utf8)
            try Self.large.write(toFile: files + "/large.txt", atomically: true, encoding: .utf8)
            try Self.megabytes.write(toFile: files + "/megabytes.txt", atomically: true, encoding: .utf8)
            server = try NGHTTP2Server.serving(files, options: options, folder: folder)
            recorder = try RecorderProcess(
                into: folder.file("capture.har"),
                folder: folder,
                upstreamCA: server.authority
            )
            relay = try await ConnectRelay(proxyPort: recorder.port, target: "localhost:\(server.port)")
        }

        /// What requests say they are for, whichever way they go.
        var authority: String { "localhost:\(server.port)" }
        var largeFile: String { folder.file("files/large.txt") }

        /// Ends the recording; the entries, in order of their beginning.
        func finish() async throws -> [Exchange] {
            try await relay.stop()
            #expect(recorder.interrupt() == 0, "\(recorder.messages)")
            server.stop()
            let capture = try CaptureReader.read(path: recorder.capture)
            #expect(capture.losses.isEmpty)
            let exchanges = capture.indices.map { capture[$0] }.sorted { $0.startedAt < $1.startedAt }
            folder.remove()
            for exchange in exchanges {
                #expect(
                    exchange.failure == nil && exchange.malformations.isEmpty,
                    "\(exchange.request.url.text)"
                )
                #expect(exchange.request.httpVersion == "HTTP/2" && exchange.connection.alpn == "h2")
            }
            return exchanges
        }

        /// The output of nghttp or h2load for a path, `isRecorded` by way of the recorder.
        func run(_ program: String, _ options: [String], _ path: String, isRecorded: Bool) async throws
            -> String
        {
            let port = isRecorded ? relay.port : server.port
            let result = try await Program.runAside(
                options + ["--header=:authority: \(authority)", "https://127.0.0.1:\(port)\(path)"],
                executable: NGHTTP2Server.path(program) ?? program
            )
            #expect(result.status == 0, "\(result.errors)")
            return result.output
        }
    }

    // MARK: - curl

    /// What curl was answered.
    private struct Answer: Equatable {
        var head: [String]
        var body: Data
        var facts: String
    }

    private static func curl(
        _ options: [String],
        _ url: String,
        _ folder: TemporaryFolder,
        _ way: [String]
    ) async throws -> Answer {
        let head = folder.file("head-\(UUID().uuidString)")
        let body = folder.file("body-\(UUID().uuidString)")
        let result = try await Program.runAside(
            [
                "-sS", "--max-time", "60", "--dump-header", head, "--output", body, "--write-out",
                "%{http_version} %{http_code} %{num_headers} %{size_download} %{size_upload} %{redirect_url}",
            ] + way + options + [url],
            executable: NGHTTP2Server.path("curl") ?? "curl"
        )
        #expect(result.status == 0, "\(options): \(result.errors)")
        let lines = ((try? String(contentsOfFile: head, encoding: .utf8)) ?? "").split(separator: "\r\n").map(
            String.init
        )
        return Answer(
            // The proxy's answer to CONNECT, and the second in which it was.
            head: lines.filter { !$0.hasPrefix("HTTP/1.1 200 ") && !$0.hasPrefix("date: ") },
            body: (try? Data(contentsOf: URL(filePath: body))) ?? Data(),
            facts: result.output
        )
    }

    private static func through(_ recorder: RecorderProcess) -> [String] {
        ["--proxy", "http://127.0.0.1:\(recorder.port)", "--noproxy", "", "--cacert", recorder.certificate]
    }

    private static func directly(_ server: NGHTTP2Server) -> [String] {
        ["--noproxy", "*", "--cacert", server.authority]
    }

    @Test func curlGetsTheSameAnswers() async throws {
        let stage = try await Stage(["--error-gzip", "--echo-upload", "--trailer=x-sum: 1", "--padding=40"])
        let later = "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT"
        let requests: [(options: [String], path: String, status: Int)] = [
            ([], "/hello.txt", 200), ([], "/large.txt", 200), ([], "/megabytes.txt", 200),
            (["--head"], "/hello.txt", 200),
            (["-H", later], "/hello.txt", 304), ([], "/folder", 301), ([], "/missing", 404),
            (["--compressed"], "/missing", 404), (["-d", "a=b&c=%20"], "/echo", 200),
            (["--data-binary", "@\(stage.largeFile)"], "/echo", 200),
            (["-H", "Expect: 100-continue", "-d", "x=1"], "/echo", 200),
            (["-X", "PUT", "-d", "put"], "/echo", 200),
            (["-b", "c=3; d=4", "-H", "x-empty;"], "/hello.txt", 200),
        ]
        var answers: [Answer] = []
        for request in requests {
            let url = "https://\(stage.authority)\(request.path)"
            let options = ["--http2"] + request.options
            let direct = try await Self.curl(options, url, stage.folder, Self.directly(stage.server))
            let recorded = try await Self.curl(options, url, stage.folder, Self.through(stage.recorder))
            #expect(recorded.head == direct.head, "\(request)")
            // Of HEAD the head, with that of the proxy, is what curl prints.
            #expect(recorded.body == direct.body || request.options == ["--head"], "\(request)")
            #expect(recorded.facts == direct.facts, "\(request)")
            #expect(recorded.facts.hasPrefix("2 \(request.status) "), "\(request): \(recorded.facts)")
            answers.append(recorded)
        }
        let exchanges = try await stage.finish()
        #expect(exchanges.map(\.request.url.path) == requests.map(\.path))
        for (exchange, (request, answer)) in zip(exchanges, zip(requests, answers)) {
            #expect(exchange.response?.status == request.status)
            // As curl keeps them: undone where it was told to (`--compressed`), else as they came.
            let isCoded = exchange.response?.headers.contains("content-encoding") == true
            if exchange.request.method != "HEAD", !isCoded || request.options.contains("--compressed") {
                #expect(
                    exchange.response?.body?.bytes.map { Data($0) } ?? Data() == answer.body,
                    "\(request)"
                )
            }
            let lines = (exchange.response?.headers.fields ?? []).filter { $0.name != "date" }.map {
                "\($0.name): \($0.value)"
            }
            let heard = answer.head.filter { !$0.hasPrefix("HTTP/2 ") }
            #expect(lines == heard, "\(request)")
            // curl writes no trailers of HTTP/2; they come behind bodies only.
            let hasBody = exchange.response?.body?.wireSize ?? 0 > 0
            #expect(exchange.response?.trailers.first("x-sum") == (hasBody ? "1" : nil), "\(request)")
        }
        #expect(exchanges[9].request.body?.text == Stage.large)
    }

    // MARK: - nghttp

    /// What `nghttp --verbose` says it received: the fields of each stream, and its bytes of data.
    private static func received(_ output: String) -> [String: [String]] {
        var streams: [String: [String]] = [:]
        for line in output.split(separator: "\n") {
            // Times stand in brackets, colours between escape signs.
            let text = line.replacing(/\u{1b}\[[0-9;]*m/, with: "")
            guard let field = text.firstMatch(of: /recv \(stream_id=(\d+)[^)]*\) (.*)$/) else { continue }
            guard !field.output.2.hasPrefix("date: ") else { continue }
            streams[String(field.output.1), default: []].append(String(field.output.2))
        }
        return streams
    }

    struct Visit: CustomTestStringConvertible, Sendable {
        var options: [String]
        var path = "/hello.txt"
        /// Requests, pushed ones included.
        var entries = 2

        var testDescription: String { "\(options) \(path)" }
    }

    /// What a client can do to frames; `/hello.txt` has a style sheet pushed behind it.
    private static func visits(_ upload: String) -> [Visit] {
        let long = (0..<40).map { "--header=x-long-\($0): \(String(repeating: "v", count: 500))" }
        return [
            Visit(options: []), Visit(options: ["--no-push"], entries: 1),
            Visit(options: ["--continuation"] + long), Visit(options: ["--padding=200"]),
            Visit(
                options: ["--window-bits=12", "--connection-window-bits=14"],
                path: "/large.txt",
                entries: 1
            ),
            Visit(options: ["--weight=200", "--multiply=30"], entries: 60),
            Visit(options: ["--no-dep", "--header-table-size=0", "--encoder-header-table-size=0"]),
            Visit(options: ["--data=\(upload)", "--trailer=x-client: 1"], path: "/echo", entries: 1),
            Visit(
                options: ["--data=\(upload)", "--expect-continue", "--padding=255"],
                path: "/echo",
                entries: 1
            ),
        ]
    }

    @Test func nghttpGetsTheSameAnswers() async throws {
        // No windows of the server's: nghttp uploads more than they let it before it has heard of them.
        let stage = try await Stage([
            "--push=/hello.txt=/style.css", "--echo-upload", "--trailer=x-sum: 1", "--padding=100",
        ])
        let visits = Self.visits(stage.largeFile)
        for visit in visits {
            let options = ["--no-verify-peer", "--null-out", "--verbose"] + visit.options
            let direct = Self.received(
                try await stage.run("nghttp", options, visit.path, isRecorded: false)
            )
            let recorded = Self.received(
                try await stage.run("nghttp", options, visit.path, isRecorded: true)
            )
            #expect(recorded == direct, "\(visit)")
            #expect(recorded.values.count { $0.contains(":status: 200") } == visit.entries, "\(visit)")
        }
        // Bodies, which stand between the frames where both are printed.
        for visit in [visits[4], visits[8]] {
            let options = ["--no-verify-peer"] + visit.options
            let body = try await stage.run("nghttp", options, visit.path, isRecorded: true)
            #expect(body == Stage.large, "\(visit): \(body.utf8.count)")
        }
        let exchanges = try await stage.finish()
        let entries = visits.reduce(2) { $0 + $1.entries }
        #expect(exchanges.count == entries)
        for exchange in exchanges where exchange.request.url.path != "/echo" {
            let text = [
                "/hello.txt": "hello\n", "/style.css": "b { color: red }\n", "/large.txt": Stage.large,
            ][exchange.request.url.path]
            #expect(exchange.response?.body?.text == text)
            #expect(exchange.isPushed == (exchange.request.url.path == "/style.css"))
        }
        let uploads = exchanges.filter { $0.request.url.path == "/echo" }
        #expect(uploads.map { $0.request.body?.text == Stage.large } == [true, true, true])
        #expect(uploads.map { $0.response?.body?.text == Stage.large } == [true, true, true])
        #expect(uploads.first?.request.trailers.first("x-client") == "1")
        #expect(exchanges.contains { $0.request.headers.count("x-long-39") == 1 })
        #expect(exchanges.allSatisfy { $0.response?.trailers.first("x-sum") == "1" })
    }

    // MARK: - h2load

    /// The counts of h2load: its lines without times and compression.
    private static func counts(_ output: String) -> [String] {
        output.split(separator: "\n").compactMap { line in
            if line.hasPrefix("requests: ") || line.hasPrefix("status codes: ") { return String(line) }
            return line.firstMatch(of: /\((\d+)\) data$/).map { "\($0.output.1) bytes" }
        }
    }

    @Test(arguments: [
        (["--requests=300", "--clients=3", "--max-concurrent-streams=40"], "/hello.txt", 300, 6),
        (
            [
                "--requests=12", "--clients=2", "--max-concurrent-streams=6", "--window-bits=14",
                "--connection-window-bits=15",
            ], "/large.txt", 12, Stage.large.utf8.count
        ),
        (["--requests=40", "--clients=2", "--max-concurrent-streams=20", "--data=UPLOAD"], "/echo", 40, 6),
    ])
    func h2loadCountsTheSame(_ options: [String], _ path: String, _ count: Int, _ bytes: Int) async throws {
        let stage = try await Stage(["--echo-upload"])
        let upload = stage.folder.file("files/hello.txt")
        let options = options.map { $0.replacing("UPLOAD", with: upload) }
        let direct = Self.counts(try await stage.run("h2load", options, path, isRecorded: false))
        let recorded = Self.counts(try await stage.run("h2load", options, path, isRecorded: true))
        #expect(recorded == direct)
        #expect(recorded.contains("status codes: \(count) 2xx, 0 3xx, 0 4xx, 0 5xx"), "\(recorded)")
        #expect(recorded.contains("\(count * bytes) bytes"), "\(recorded)")
        let exchanges = try await stage.finish()
        #expect(exchanges.count == count)
        #expect(exchanges.allSatisfy { $0.response?.status == 200 && $0.response?.body?.size == bytes })
    }
}
