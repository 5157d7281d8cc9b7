import Captures

extension Recording {
    /// A sign-in whose form goes to an address that redirects to the page's own, which is shown once more;
    /// `query`: what the redirect adds to that address.
    package static func losingTheForm(sentTo address: String, status: Int = 302, query: String = "") throws
        -> Recording
    {
        var recording = try Recording("authorization-response/login-abandoned")
        var again = recording.exchanges[2]
        let page = again.request.url.text + query
        again.startedAt = again.endedAt + .milliseconds(20)
        again.request.method = "GET"
        again.request.url = RecordedURL(page)
        again.request.body = nil
        recording.exchanges[2].request.url = RecordedURL(address)
        recording.exchanges[2].response = RecordedResponse(status: status)
        recording.exchanges[2].response?.redirect(to: page)
        recording.exchanges.append(again)
        return recording
    }
}
