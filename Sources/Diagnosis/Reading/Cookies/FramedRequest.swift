import Captures
import Flows

/// Requests that a browser made for a frame, by what it says of them (Fetch Metadata Request Headers).
enum FramedRequest {
    /// What shows that a request came from a frame; nil where nothing does.
    static func evidence(of exchange: Int, in flow: Flow) -> Evidence? {
        let headers = flow.capture[exchange].request.headers
        if let target = headers.first("sec-fetch-dest") {
            guard frames.contains(target) else { return nil }
            return Evidence(
                place: Place(exchange: exchange, part: .requestHeader, name: "Sec-Fetch-Dest"),
                value: target
            )
        }
        guard headers.first("sec-fetch-site") == "cross-site", headers.first("sec-fetch-mode") == "navigate"
        else { return nil }
        return Evidence(
            place: Place(exchange: exchange, part: .requestHeader, name: "Sec-Fetch-Site"),
            value: "cross-site"
        )
    }

    /// Evidence that a page of another site had it loaded into a frame; nil where the browser does not say so.
    ///
    /// Of what a frame is redirected to it says the same, wherever the frame began: asked is of its first request.
    static func evidenceOfOtherSite(of exchange: Int, in flow: Flow) -> Evidence? {
        let headers = flow.capture[exchange].request.headers
        guard headers.first("sec-fetch-dest").map(frames.contains) ?? false,
            headers.first("sec-fetch-site") == "cross-site"
        else { return nil }
        return evidence(of: exchange, in: flow)
    }

    private static let frames: Set<String> = ["iframe", "frame"]
}
