import Captures

/// Recorders that see what a browser sends, and nothing of apps and servers beside it.
enum BrowserRecorder {
    /// Whether one of them made the capture, or every file that it was made of.
    static func wrote(_ capture: Capture) -> Bool {
        capture.recorders.allSatisfy { recorder in
            let name = recorder.name.lowercased()
            return ["webinspector", "web inspector", "firefox", "safari", "playwright", "puppeteer"]
                .contains(where: name.containsBytes)
        }
    }
}
