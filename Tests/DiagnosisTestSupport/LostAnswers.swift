import Captures

/// The reasons that a recorder gives where there is no answer.
package enum LostAnswers {
    /// Each with whether somebody else than the capture is to blame, so that a rule has something to say.
    package static let reasons: [(String, fires: Bool)] = [
        (AnswerLoss.bytesMissing(2258, isExact: true, of: "server"), false),
        (AnswerLoss.serverMissing, false),
        (AnswerLoss.undecrypted("the answer", "there is no key for it in the key log"), false),
        (AnswerLoss.captureEnded, false), (AnswerLoss.recordingEnded, false),
        (AnswerLoss.serverLeft, true), ("something went wrong", true),
    ]
}
