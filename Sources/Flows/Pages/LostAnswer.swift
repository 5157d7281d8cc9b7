import Captures
import OAuth

/// A callback whose answer got lost on the way to the app: what stands in front sent the browser on to another spelling of the same address
/// (https for http, with or without `www.`, a slash at the end) without its query, or by a redirect that makes a GET of a form.
package enum LostAnswer {
    /// The exchange at which the app refused a callback that brought it nothing any more; nil where the answer was not lost so.
    ///
    /// A redirect that sets a cookie is that of an app that took the answer, and so is one behind which the app shows a page all the same.
    /// What stands in front of an app that cannot be reached refuses nothing.
    package static func refusal(behind callback: Int, in index: CaptureIndex) -> Int? {
        let asked = index.capture[callback].request
        guard let response = index.capture[callback].response, response.isRedirection,
            let location = response.location, response.headers.first("Set-Cookie") == nil,
            let landing = index.landings(of: callback).first,
            let status = index.capture[landing].response?.status, status >= 400,
            !(502...504).contains(status)
        else { return nil }
        let target = asked.url.resolving(location)
        let came = index.capture[landing].request
        guard asked.url.isRespelled(as: target), came.method == "GET",
            !target.queryItems.items.contains(where: { names.contains($0.name) }),
            asked.method == "POST" || asked.url.queryItems.items.contains(where: { names.contains($0.name) }),
            !isServed(came.url, behind: landing, in: index)
        else { return nil }
        return landing
    }

    /// Whether the app shows a page soon after the refused one, before another login is begun.
    private static func isServed(_ refused: RecordedURL, behind landing: Int, in index: CaptureIndex) -> Bool
    {
        for later in index.withoutAssets(after: landing).prefix(200) {
            if case .authorizationRequest = index.messages[later] { return false }
            let exchange = index.capture[later]
            if exchange.request.method == "GET", exchange.request.url.origin == refused.origin,
                let response = exchange.response, response.isServed, response.body?.isPage ?? false
            {
                return true
            }
        }
        return false
    }

    /// What an answer consists of; an error is told by its name alone.
    private static let names: Set<String> = [
        "code", "state", "id_token", "access_token", "response", "error",
    ]
}
