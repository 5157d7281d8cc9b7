import Foundation
import Proxy
import Reports

/// How Firefox is started so that it is recorded and leaves nothing behind: preferences and a certificate database of
/// its own profile.
enum FirefoxProfile {
    /// Where it calls home: past the proxy, since it is no part of a login and would only be in its way.
    static let homes = [
        ".services.mozilla.com", ".cdn.mozilla.net", ".telemetry.mozilla.org", "aus5.mozilla.org",
        "push.services.mozilla.com",
        "detectportal.firefox.com", "ads.mozilla.org",
    ]

    /// What it is told.
    static func arguments(folder: String, isHeadless: Bool, pages: [String]) -> [String] {
        ["--no-remote", "--new-instance", "--profile", folder] + (isHeadless ? ["--headless"] : [])
            + (pages.isEmpty ? ["about:blank"] : pages)
    }

    /// Makes the profile's certificate database, which trusts one authority besides the known ones.
    ///
    /// Throws ``CommandFailure`` when the tool that can is not installed, or fails.
    static func trust(_ certificatePath: String, in folder: String) throws {
        let database = "sql:\(folder)"
        for arguments in [
            ["-N", "--empty-password", "-d", database],
            ["-A", "-d", database, "-t", "C,,", "-n", "authreel", "-i", certificatePath],
        ] {
            guard let result = ToolRunner.output(of: ["certutil"] + arguments) else {
                throw CommandFailure(
                    .unavailable,
                    "Firefox keeps its trust in a database that certutil writes, which is not installed",
                    hint:
                        "apt install libnss3-tools (Fedora: nss-tools, macOS: brew install nss), or --browser-program chromium"
                )
            }
            guard result.status == 0 else {
                let words = result.text.split(separator: "\n").last.map(String.init) ?? ""
                throw CommandFailure(
                    .unavailable,
                    "certutil ended with status \(result.status): \(words.printable)"
                )
            }
        }
    }
}
