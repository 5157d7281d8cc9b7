import Foundation

/// Ends the browsers of a replay when the replay is ended from outside.
enum BrowserEnding {
    /// From now on SIGINT, SIGTERM and SIGHUP end the browsers first, and then the program as they would have.
    static func endWithUs() {
        let signals = Interruption.signals()
        // The program ends with it; there is nobody to wait for it.
        Task.detached {
            for await number in signals {
                PipedBrowser.endAll()
                StandardError.note("interrupted; nothing is left running")
                exit(128 + number)
            }
        }
    }
}
