import Captures
import Foundation
import Proxy
import TestSupport
import Testing

/// What Chromium does over HTTP/2, with and without the recorder and over HTTP/1.1: a page that tells what it was answered.
@Suite(
    .enabled(
        if: NGHTTP2Server.isAvailable && NGHTTP2Server.path("chromium") != nil,
        "nghttp2's programs or Chromium are not installed"
    ),
    .timeLimit(.minutes(3))
)
struct ChromiumVersionsTests {
    /// Each is asked for before the next, so that their order is the same over both versions.
    private static let page = """
        <!doctype html><title>requests</title><pre id="heard"></pre><script>
        const requests = [
          ["GET", "/plain?q=%2F&r=a+b"], ["GET", "/gzip"], ["GET", "/redirect"], ["GET", "/missing"],
          ["GET", "/cookies"], ["GET", "/plain?with=cookies"], ["GET", "/long"], ["HEAD", "/plain"],
          ["POST", "/token", "grant_type=authorization_code&code=a%2Fb", "application/x-www-form-urlencoded"],
          ["PUT", "/put", "{\\"a\\":1}", "application/json"],
        ];
        const heard = requests.map(([method, path, body, type]) => {
          const request = new XMLHttpRequest();
          request.open(method, path, false);
          if (type) request.setRequestHeader("Content-Type", type);
          request.send(body);
          const fields = request.getAllResponseHeaders().split("\\r\\n").filter(field => field
            && !/^(date|connection|keep-alive|transfer-encoding):/i.test(field)).sort();
          const text = request.responseText;
          return [method, path, request.status, request.responseURL.replace(location.origin, ""), ...fields,
            text.length, text.slice(0, 60), text.slice(-60)].join(" | ");
        });
        const protocols = new Set(performance.getEntriesByType("resource").map(entry => entry.nextHopProtocol));
        document.getElementById("heard").textContent = heard.join("\\n") + "\\nover " + [...protocols].sort();
        </script>
        """

    private static let paths = [
        "/page", "/plain", "/gzip", "/redirect", "/next", "/missing", "/cookies", "/plain", "/long", "/plain",
        "/token",
        "/put",
    ]

    private static func answer(_ request: RecordedRequest) -> RecordedResponse {
        guard request.url.path == "/page" else { return VersionsTests.answer(request) }
        return RecordedResponse(status: 200, body: Body(text: page, mediaType: "text/html"))
    }

    /// The lines that the page wrote, the last with the versions it saw.
    private static func visit(_ url: String, _ options: [String]) async throws -> [String] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try await Program.runAside(
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                "--no-first-run", "--ignore-certificate-errors", "--user-data-dir=\(folder.path)",
                "--timeout=60000", "--dump-dom",
            ] + options + [url],
            executable: NGHTTP2Server.path("chromium") ?? "chromium"
        )
        let text = result.output
        guard let start = text.range(of: "<pre id=\"heard\">"),
            let end = text.range(of: "</pre>", range: start.upperBound..<text.endIndex)
        else {
            Issue.record("\(text)\n\(result.errors)")
            return []
        }
        return text[start.upperBound..<end.lowerBound].split(separator: "\n").map(String.init)
    }

    @Test func leaveTheSameEntriesAndAreAnsweredTheSame() async throws {
        var direct: [String] = []
        var recorded: [String] = []
        var older: [String] = []
        let visited = try await RecordedVisit.record(answer: Self.answer) { server, recorder in
            let url = "https://localhost:\(server.port)/page"
            let through = [
                "--proxy-server=http://127.0.0.1:\(recorder.port)", "--proxy-bypass-list=<-loopback>",
            ]
            direct = try await Self.visit(url, [])
            recorded = try await Self.visit(url, through)
            older = try await Self.visit(url, through + ["--disable-http2"])
        }
        #expect(direct.count == 11 && direct.last == "over h2")
        #expect(recorded == direct)
        #expect(older.dropLast() == direct.dropLast() && older.last == "over http/1.1")

        let exchanges = visited.exchanges.filter {
            Self.paths.contains($0.request.url.path) && $0.request.url.port == visited.port
        }
        .sorted { $0.startedAt < $1.startedAt }
        let first = exchanges.filter { $0.request.httpVersion == "HTTP/1.1" }
        let second = exchanges.filter { $0.request.httpVersion == "HTTP/2" }
        #expect(first.map(\.request.url.path) == Self.paths)
        #expect(second.map(\.request.url.path) == Self.paths)
        for (first, second) in zip(first, second) {
            // Chromium writes its fields in another order, and how urgent a request is over HTTP/2 only (RFC 9218).
            func essence(_ exchange: Exchange) -> [String] {
                VersionsTests.essence(exchange).filter { !$0.hasPrefix("priority: ") }.sorted()
            }
            #expect(essence(first) == essence(second))
        }
    }
}
