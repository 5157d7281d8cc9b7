package import Captures
import Foundation

/// Who may ask the viewer's server: the page that was opened by its printed address, and nobody else.
///
/// A capture is full of secrets, and any page in any browser of this machine can send requests to loopback: a page by a form or
/// an image, one that rebinds its name by reading answers. So each request has to bring the token of this start in its path,
/// ask for this very address, and come from no other origin.
package struct ViewerAccess: Sendable {
    /// Random, of this start only, in base64url.
    package let token: String
    /// What the server listens on, `127.0.0.1`.
    package let host: String
    package let port: Int

    package init(token: String, host: String = "127.0.0.1", port: Int) {
        self.token = token
        self.host = host
        self.port = port
    }

    /// Where the viewer is.
    package var url: String { "http://\(host):\(port)/\(token)/" }

    /// What is asked for.
    package enum Decision: Sendable, Equatable {
        /// A path behind the token, `js/main.js`; empty for the page itself.
        case path(String)
        case refused(status: Int, reason: String)
    }

    /// Judges a request.
    package func decide(_ request: RecordedRequest) -> Decision {
        // A name that a stranger's server resolves to this machine (DNS rebinding) stands here.
        let hosts = request.headers.all("host")
        guard hosts.count == 1, hosts[0] == "\(host):\(port)" else {
            return .refused(status: 421, reason: "this server answers for \(host):\(port) only")
        }
        guard request.headers.all("origin").allSatisfy({ $0 == "http://\(host):\(port)" }) else {
            return .refused(status: 403, reason: "a page of another origin asked")
        }
        let target = request.url.path
        let parts = target.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: true)
        guard target.utf8.first == 0x2f, let first = parts.first, isToken(first) else {
            return .refused(
                status: 404,
                reason: "open the address that authreel printed; it is another at each start"
            )
        }
        let path = parts.count > 1 ? String(parts[1]) : ""
        let site = request.headers.first("sec-fetch-site") ?? "none"
        guard ["none", "same-origin"].contains(site) || isOpened(path, request) else {
            return .refused(status: 403, reason: "a page of another site asked")
        }
        // Without the slash what the page names would be looked for beside it.
        guard path.isEmpty ? target.utf8.last == 0x2f : true else {
            return .refused(status: 404, reason: "the address ends with a slash")
        }
        return .path(path)
    }

    /// A link to the page may stand anywhere; what it opens is a window of its own, and no frame.
    private func isOpened(_ path: String, _ request: RecordedRequest) -> Bool {
        path.isEmpty && request.method == "GET" && request.headers.first("sec-fetch-mode") == "navigate"
            && request.headers.first("sec-fetch-dest") == "document"
    }

    /// In a time that tells nothing of where they differ.
    private func isToken(_ text: Substring) -> Bool {
        let (one, other) = (Array(text.utf8), Array(token.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
