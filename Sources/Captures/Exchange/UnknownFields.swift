/// How many header fields of an exchange were sent and are not known (`_authreel.unknownFields`): they refer to some that are not in the
/// capture, as those of HTTP/2 may (RFC 7541).
package struct UnknownFields: Blank {
    package var request: Int
    package var response: Int

    package init(request: Int, response: Int) {
        self.request = request
        self.response = response
    }
}

extension UnknownFields { package init() { self.init(request: 0, response: 0) } }

extension Exchange {
    /// Whether a request without this field may have had it.
    package func mayHaveSent(_ field: String) -> Bool {
        unknownFields.request > 0 && !request.headers.contains(field)
    }

    /// The same of the answer.
    package func mayHaveAnswered(_ field: String) -> Bool {
        unknownFields.response > 0 && response?.headers.contains(field) == false
    }

    /// Whether the request's host is not known: its URL has the server's name or address in its place.
    package var isHostUnknown: Bool { mayHaveSent("host") }

    /// Whether what was asked for is not known: where that is its path, its URL has the server's first page in its place.
    package var isTargetUnknown: Bool { failure == AnswerLoss.targetMissing }

    /// Whether a proxy may have told of https that it ended, in a field that is not known (see ``RecordedRequest/urlOfBrowser``).
    package var mayBeOfHTTPS: Bool { request.url.scheme == "http" && mayHaveSent("x-forwarded-proto") }

    /// The URL that its client asked for, be it over https that a proxy ended; nil where that is said by fields that are not known.
    package var askedURL: RecordedURL? {
        isHostUnknown || isTargetUnknown || mayBeOfHTTPS ? nil : request.urlOfBrowser
    }
}
