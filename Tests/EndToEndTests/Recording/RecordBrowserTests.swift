import Foundation
import TestSupport
import Testing

/// `authreel record --browser` as a user runs it: what becomes of the recording when the browser or the command ends.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RecordBrowserTests {
    private typealias Place = RecordingPlace

    @Test func browserThatDiesIsToldOfWithItsLastWords() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let broken = try place.script("chromium", "echo cannot open the display >&2; exit 3")
        let result = try place.record([
            "--headless", "--browser-program", broken, "--browser", "https://x.example/",
        ])
        #expect(result.status == 69)
        #expect(result.errors.contains("authreel: browser: cannot open the display\n"))
        #expect(result.errors.contains("warning: the browser ended with status 3\n"))
        #expect(place.leftFolders.isEmpty)
    }

    @Test func closedBrowserEndsTheRecording() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let closed = try place.script(
            "chromium",
            "for last; do :; done; echo \"$last\" > \(place.folder.file("page"))"
        )
        let result = try place.record(["--headless", "--browser-program", closed, "--browser"])
        #expect(result.status == 0)
        #expect(
            try String(contentsOfFile: place.folder.file("page"), encoding: .utf8)
                == "https://authreel.proxy/\n"
        )
        #expect(place.leftFolders.isEmpty)
    }

    @Test func browserWaitsForTheServerThatTheCommandStarts() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let browser = try place.script(
            "chromium",
            "for last; do :; done; curl -sS --noproxy '*' \"$last\" > \(place.folder.file("page"))"
        )
        let server = """
            import http.server, sys, time
            time.sleep(1)
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200); self.end_headers(); self.wfile.write(b'late'); self.server.done = True
            server = http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)
            server.done = False
            while not server.done: server.handle_request()
            """
        let port = try freePort()
        let result = try place.record([
            "--headless", "--browser-program", browser, "--browser", "http://localhost:\(port)/", "--",
            "python3", "-c",
            server, "\(port)",
        ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: place.folder.file("page"), encoding: .utf8) == "late")
    }

    /// Clients on the command line start a browser for the login (RFC 8252, section 7.3): the one that is recorded.
    @Test func pagesThatTheCommandOpensGoToTheRecordedBrowser() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let pages = place.folder.file("pages")
        let browser = try place.script(
            "chromium",
            """
            touch "${1#--user-data-dir=}/SingletonLock"
            for last; do :; done
            echo "$1 $2 $last" >> \(pages)
            exec sleep 60
            """
        )
        let result = try place.record([
            "--headless", "--browser-program", browser, "--browser", "http://x.example/", "--", "sh", "-c",
            """
            "$BROWSER" "http://y.example/?a=it's&b=\\$c"
            "$(basename "$BROWSER")" http://z.example/
            until [ "$(wc -l < \(pages))" = 3 ]; do sleep 0.1; done
            """,
        ])
        #expect(result.status == 0, "\(result.errors)")
        let lines = try String(contentsOfFile: pages, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: " ")
        }
        #expect(
            lines.compactMap(\.last).sorted() == [
                "http://x.example/", "http://y.example/?a=it's&b=$c", "http://z.example/",
            ]
        )
        // Without a window no browser takes pages of others: each has a profile of its own, and the recorder for a proxy.
        #expect(Set(lines.compactMap(\.first)).count == 3)
        #expect(Set(lines.map { $0[1] }).count == 1 && lines[0][1].hasPrefix("--proxy-server=http://"))
        #expect(!result.errors.contains("background") && !result.errors.contains("left"), "\(result.errors)")
        #expect(place.leftFolders.isEmpty)
    }

    @Test func browserIsNotStartedWhenTheRecordingEndsBeforeItsPageIsThere() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let browser = try place.script(
            "chromium",
            "echo started > \(place.folder.file("page")); exec sleep 60"
        )
        let began = Date.now
        let result = try place.record([
            "--headless", "--browser-program", browser, "--browser", "http://localhost:\(try freePort())/",
            "--", "sh", "-c",
            "sleep 0.5; exit 3",
        ])
        #expect(result.status == 3)
        #expect(!FileManager.default.fileExists(atPath: place.folder.file("page")))
        #expect(!result.errors.contains("left"), "\(result.errors)")
        #expect(Date.now.timeIntervalSince(began) < 20, "a page is waited for longer")
    }

    @Test func whatTheBrowserLeavesIsEndedAndNotTheCommands() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let pidFile = place.folder.file("pid")
        let browser = try place.script(
            "chromium",
            "setsid sh -c 'echo $$ > \(pidFile); exec sleep 60' >/dev/null 2>&1 & exec sleep 60"
        )
        let result = try place.record([
            "--headless", "--browser-program", browser, "--browser", "http://x.example/", "--", "sh", "-c",
            Place.written(pidFile),
        ])
        #expect(result.status == 0)
        #expect(!result.errors.contains("background") && !result.errors.contains("left"), "\(result.errors)")
        #expect(!Place.isRunning(try #require(Place.processID(in: pidFile))))
        #expect(place.leftFolders.isEmpty)
    }

    @Test func browserOptionsWithoutABrowserAreAMistake() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let result = try place.record(["--headless"])
        #expect(result.status == 64)
        #expect(result.errors.contains("hint: ") && result.errors.contains("/authreel record --browser"))
    }

    @Test func noBrowserIsAnErrorThatSaysWhatToInstall() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let result = try place.record(["--browser"], environment: ["PATH": "/nowhere"])
        #expect(result.status == 66)
        #expect(result.errors.contains("error: no browser found"))
        #expect(result.errors.contains("apt install chromium"))
    }

    private func freePort() throws -> Int {
        let probe = try Program.run(
            ["-c", "import socket; s=socket.socket(); s.bind(('127.0.0.1',0)); print(s.getsockname()[1])"],
            executable: "/usr/bin/python3"
        )
        return try #require(Int(probe.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
}
