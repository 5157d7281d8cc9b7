extension Exchange {
    /// Whether it is the capture that lacks an answer, which the server may well have given: packets that were not captured, or keys
    /// that were not written down.
    package var lacksItsAnswer: Bool {
        failure.map(AnswerLoss.isOfTheCapture) ?? false
    }

    /// Whether nothing can be said of an answer that is not there, or not whole: the capture lacks it, or nobody looked any more when it
    /// may still have come.
    package var isAnswerUnseen: Bool {
        guard let failure, !lacksItsAnswer else { return lacksItsAnswer }
        return AnswerLoss.isOfTheEnd(failure) && duration.map { $0 < Self.patience } ?? true
    }

    /// Servers that answer at all have mostly done so by then.
    private static let patience = Duration.seconds(10)

    /// Whether there is no whole request that an answer could be to: its connection ended within its head, by whichever side's doing.
    package var isRequestCut: Bool { failure == AnswerLoss.requestCut }

    /// Whether the browser only meant to send the request, and gave up before: it had been redirected too often (Fetch, section 4.4).
    package var wasNeverSent: Bool {
        guard response == nil, let words = failure?.lowercased() else { return false }
        return ["err_too_many_redirects", "ns_error_redirect_loop"].contains(where: words.containsBytes)
    }

    /// Whether less came of an answer than the server had begun to send, by whichever side's doing: the client has no more of it
    /// than the capture.
    package var isBrokenOff: Bool {
        guard let failure, !lacksItsAnswer, !AnswerLoss.isOfTheEnd(failure) else { return false }
        return response?.body?.isTruncated ?? false
    }
}
