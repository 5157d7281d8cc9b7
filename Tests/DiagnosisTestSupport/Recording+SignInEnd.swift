package import Captures
import Testing

extension Recording {
    /// A login whose sign-in is answered otherwise, and that goes no further.
    package func endingSignIn(with response: RecordedResponse) throws -> Recording {
        let index = try #require(exchanges.lastIndex { $0.request.url.path == "/sign-in" })
        return Recording(Array(exchanges[...index])).editingLast("/sign-in") { $0.response = response }
    }

    /// The same, sent on to a page of the provider's.
    ///
    /// `target`: relative to the sign-in.
    package func endingSignIn(at target: String, _ page: Body) throws -> Recording {
        var response = RecordedResponse(status: 302)
        response.redirect(to: target)
        var recording = try endingSignIn(with: response)
        var last = try #require(recording.exchanges.last)
        last.request.url = last.request.url.resolving(target)
        last.request.method = "GET"
        last.startedAt = last.startedAt + .seconds(1)
        last.response = RecordedResponse(status: 200, body: page)
        recording.exchanges.append(last)
        return recording
    }
}
