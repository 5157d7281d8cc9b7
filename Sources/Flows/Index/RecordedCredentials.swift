import Captures
import OAuth

/// Whether cookies and credentials were recorded, of a whole capture and of each file that an import made it of.
struct RecordedCredentials: Sendable {
    let stripped: StrippedFiles
    let areCookiesRecorded: Bool
    /// The files that tell of requests with cookies, those that tell of one together; none of what was recorded into the import since.
    private let withCookies: Set<Set<String>>

    init(_ index: CaptureIndex) {
        let capture = index.capture
        stripped = StrippedFiles(capture, index.authorizationRequests, index.messages)
        let ofBrowser = index.authorizationRequests.map(\.exchange) + index.responses.compactMap(\.callback)
        var withCookies: Set<Set<String>> = []
        for exchange in capture.indices.lazy.map({ capture[$0] }) {
            let files = Self.files(of: exchange)
            if !withCookies.contains(files), !exchange.request.cookies.isEmpty { withCookies.insert(files) }
        }
        self.withCookies = withCookies.filter { !$0.isEmpty }
        areCookiesRecorded =
            !withCookies.isEmpty
            || !index.authorizationRequests.isEmpty
                && ofBrowser.allSatisfy { capture[$0].client.address != nil }
    }

    /// See ``CaptureIndex/areCookiesRecorded(at:)``.
    func areCookiesRecorded(at exchange: Exchange) -> Bool {
        let files = Self.files(of: exchange)
        guard areCookiesRecorded, !files.isEmpty else { return areCookiesRecorded }
        return exchange.client.address != nil || withCookies.contains { $0.isSubset(of: files) }
    }

    /// The names of the files of an import that tell of an exchange.
    static func files(of exchange: Exchange) -> Set<String> {
        Set(exchange.provenance.seen.map(\.file))
    }
}
