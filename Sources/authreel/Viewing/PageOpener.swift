import Foundation

/// Shows a page in the user's own browser.
enum PageOpener {
    /// Whether there is a browser that could show it.
    static func isPossible(_ environment: [String: String]) -> Bool {
        #if os(macOS)
        return true
        #else
        return ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains { !(environment[$0] ?? "").isEmpty }
        #endif
    }

    /// Opens an address that is a secret: what others see in the list of processes is a file that only its owner reads, and
    /// that leads there.
    ///
    /// - Parameters:
    ///   - url: of the page.
    ///   - folder: lives as long as the page is to be opened.
    ///   - environment: `BROWSER` names a program, else the system's own is asked.
    /// - Throws: ``CommandFailure`` when the file cannot be written.
    static func open(_ url: String, through folder: RunFolder, environment: [String: String]) throws {
        let page = """
            <!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0;url=\(url)"><title>authreel</title><a href="\(url)">authreel</a>

            """
        let file = try folder.write(Array(page.utf8), to: "viewer.html")
        let words = [program(environment), "file://\(file)"]
        // Some of them stay until their window is closed.
        Thread.detachNewThread {
            if ToolRunner.run(words) != 0 {
                StandardError.note("\(words[0]) did not open it: open \(url) in a browser")
            }
        }
    }

    private static func program(_ environment: [String: String]) -> String {
        // A list of programs, of which the first will do.
        let own = (environment["BROWSER"] ?? "").split(separator: ":").first.map(String.init)
        #if os(macOS)
        return own ?? "open"
        #else
        return own ?? "xdg-open"
        #endif
    }
}
