import Captures
import Flows

extension Flow {
    /// Where the last answer of the flow, or of what followed it, sends the browser, while nobody was seen to ask for that.
    ///
    /// Read as the redirects of a capture are everywhere: the fragment, which never reaches the wire, a port that is written out
    /// and another encoding make no other address.
    var pendingRedirect: RecordedURL? {
        let capture = surroundings.capture
        guard var current = exchanges.max(by: { capture[$0].endedAt < capture[$1].endedAt }) else {
            return nil
        }
        // A loop has its end, too.
        for _ in 0..<20 {
            guard let response = capture[current].response, (300..<400).contains(response.status),
                let location = response.location
            else { return nil }
            let target = capture[current].request.urlOfBrowser.resolving(location)
            guard target.isWeb else { return nil }
            guard let next = surroundings.landings(of: current).last else { return target }
            current = next
        }
        return nil
    }
}
