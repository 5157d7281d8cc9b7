extension Exchange {
    /// Whether it is the capture that lacks an answer, which the server may well have given: packets that were not captured, or keys
    /// that were not written down.
    package var lacksItsAnswer: Bool {
        failure.map(AnswerLoss.isOfTheCapture) ?? false
    }

    /// Whether less came of an answer than the server had begun to send, by whichever side's doing: the client has no more of it
    /// than the capture.
    package var isBrokenOff: Bool {
        guard let failure, !lacksItsAnswer, !AnswerLoss.isOfTheEnd(failure) else { return false }
        return response?.body?.isTruncated ?? false
    }
}
