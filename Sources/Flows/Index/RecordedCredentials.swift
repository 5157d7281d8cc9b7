import Captures
import OAuth

/// Whether cookies and credentials of a capture were recorded, or left out by what wrote it.
struct RecordedCredentials: Sendable {
    let isSanitized: Bool
    /// The files of an import of which that can be said by what they alone saw.
    let strippedFiles: Set<String>
    let areCookiesRecorded: Bool

    init(_ index: CaptureIndex) {
        let capture = index.capture
        isSanitized = Self.isSanitized(capture, index.authorizationRequests)
        strippedFiles = Self.strippedFiles(capture, index.authorizationRequests)
        let ofBrowser = index.authorizationRequests.map(\.exchange) + index.responses.compactMap(\.callback)
        areCookiesRecorded =
            capture.indices.contains { !capture[$0].request.cookies.isEmpty }
            || !index.authorizationRequests.isEmpty
                && ofBrowser.allSatisfy { capture[$0].client.address != nil }
    }

    static func isSanitized(_ capture: Capture, _ requests: [AuthorizationRequest]) -> Bool {
        // Who saw the browser's connection itself saw that there was none.
        !requests.isEmpty && requests.allSatisfy { capture[$0.exchange].client.address == nil }
            && capture.indices.allSatisfy { hasNone(capture[$0]) }
            // Where nobody answered nobody set a cookie: a replay without a network.
            && capture.indices.contains { capture[$0].response != nil }
    }

    private static func strippedFiles(_ capture: Capture, _ requests: [AuthorizationRequest]) -> Set<String> {
        let file = { (exchange: Int) in
            let seen = capture[exchange].provenance.seen
            return seen.count == 1 ? seen[0].file : nil
        }
        var files: Set<String> = []
        for request in requests where capture[request.exchange].client.address == nil {
            if let file = file(request.exchange) { files.insert(file) }
        }
        guard !files.isEmpty else { return [] }
        var answered: Set<String> = []
        for index in capture.indices {
            guard let file = file(index), files.contains(file) else { continue }
            if !hasNone(capture[index]) { files.remove(file) }
            if capture[index].response != nil { answered.insert(file) }
        }
        return files.intersection(answered)
    }

    private static func hasNone(_ exchange: Exchange) -> Bool {
        !exchange.request.headers.contains("cookie")
            && !exchange.request.headers.contains("authorization")
            && exchange.request.listedCookies.isEmpty
            && !(exchange.response?.headers.contains("set-cookie") ?? false)
            && (exchange.response?.listedCookies.isEmpty ?? true)
    }
}
