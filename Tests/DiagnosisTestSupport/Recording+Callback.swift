package import Captures

/// What the app makes of the answer at its callback, and where that is.
extension Recording {
    /// The app's callback answered with this instead.
    ///
    /// `duration`: how long the app was at work on it; nil leaves that as it was.
    package func answeringCallback(with response: RecordedResponse, lasting duration: Duration? = nil)
        -> Recording
    {
        editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = response
            if let duration { exchange.duration = duration }
        }
    }

    /// The same with a status, and a page perhaps.
    package func answeringCallback(_ status: Int, _ body: Body? = nil, lasting duration: Duration? = nil)
        -> Recording
    {
        answeringCallback(with: RecordedResponse(status: status, body: body), lasting: duration)
    }

    /// The app's callback answered as if all had gone well.
    package var goingOn: Recording {
        editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = 302
            exchange.response?.redirect(to: "/")
        }
    }

    /// The redirect URI `own` at another address, wherever it is seen, and all that begins with it.
    package func calledBack(at target: String, insteadOf own: String = "https://www.shop.example/callback")
        -> Recording
    {
        func moved(_ url: String) -> String? {
            url.hasPrefix(own) ? target + url.dropFirst(own.count) : nil
        }
        return editing { exchange in
            if let url = moved(exchange.request.url.text) { exchange.request.url = RecordedURL(url) }
            if let location = exchange.response?.location.flatMap(moved) {
                exchange.response?.redirect(to: location)
            }
        }
    }
}
