extension Exchange {
    /// Whether it is the capture that lacks an answer, which the server may well have given: packets that were not captured, or keys
    /// that were not written down.
    package var lacksItsAnswer: Bool {
        guard let failure else { return false }
        return Self.lacks.contains(where: failure.containsBytes)
    }

    /// Whether less came of an answer than the server had begun to send, by whichever side's doing: the client has no more of it
    /// than the capture.
    package var isBrokenOff: Bool {
        guard let failure, !lacksItsAnswer, !Self.ends.contains(where: failure.hasPrefix) else {
            return false
        }
        return response?.body?.isTruncated ?? false
    }

    private static let lacks = ["not in the capture", "is in the capture", "could not be decrypted"]
    /// The answer went on when nobody looked any more.
    private static let ends = ["the recording ended before", "the capture ends before"]
}
