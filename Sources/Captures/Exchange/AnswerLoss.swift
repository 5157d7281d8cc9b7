/// The words of an ``Exchange/failure`` for an answer that is not there, or not whole, by what became of it.
///
/// Whoever decodes takes them from here, for a file keeps nothing else of it: ``Exchange/lacksItsAnswer``,
/// ``Exchange/isBrokenOff``, ``Exchange/isRequestCut`` and ``Exchange/isAnswerUnseen`` go by them.
package enum AnswerLoss {
    package static let clientLeft = "the client closed the connection before the answer was complete"
    /// There is no whole request that an answer could be to.
    package static let requestCut = "the connection ended within the head of the request"
    package static let clientReset = "the client reset the connection"
    package static let serverEnded = "the server closed the connection"
    package static let serverLeft = serverEnded + " before the answer was complete"
    /// Behind what an answer in another protocol is.
    package static let serverSpeaksTLS = "the server speaks https on this port"

    // MARK: - Nobody looked any more

    package static let captureEnded = captureEnds + " the answer was complete"
    package static let recordingEnded = recordingEnds + " the answer was complete"

    private static let captureEnds = "the capture ends before"
    private static let recordingEnds = "the recording ended before"

    /// `what`: what had not come by then, as `the SOCKS proxy answered`.
    package static func captureEnded(before what: String) -> String { "\(captureEnds) \(what)" }

    /// `what`: as above.
    package static func recordingEnded(before what: String) -> String { "\(recordingEnds) \(what)" }

    /// Whether an answer went on when nobody looked any more.
    static func isOfTheEnd(_ failure: String) -> Bool {
        [captureEnds, recordingEnds].contains(where: failure.hasPrefix)
    }

    // MARK: - The server may well have given it

    package static let notCaptured = "not in the capture"
    package static let packetsMissing = "packets with a part of it are \(notCaptured)"
    package static let requestMissing = "its request is \(notCaptured)"
    package static let earlierRequestMissing =
        "which answer is its own is not known: a part of what its client asked before, and did not wait for, is \(notCaptured)"
    package static let serverMissing = "nothing of the server is in the capture"
    package static let targetMissing =
        "what was asked for is not known: it refers to header fields that are \(notCaptured)"
    package static let statusMissing =
        "the status of the answer is not known: it refers to header fields that are \(notCaptured)"

    private static let notDecrypted = "could not be decrypted"

    /// `isExact`: whether no fewer bytes are missing.
    package static func bytesMissing(_ count: Int, isExact: Bool, of side: String) -> String {
        "\(isExact ? "" : "up to ")\(count) bytes of the \(side) are \(notCaptured)"
    }

    /// `what`: `the answer`, or `from here on it`.
    package static func undecrypted(_ what: String, _ reason: String) -> String {
        "\(what) \(notDecrypted): \(reason)"
    }

    /// Whether it is the capture that lacks it.
    static func isOfTheCapture(_ failure: String) -> Bool {
        [notCaptured, serverMissing, notDecrypted].contains(where: failure.containsBytes)
    }
}
