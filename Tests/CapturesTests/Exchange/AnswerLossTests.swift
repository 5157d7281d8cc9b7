import Captures
import Testing

/// What the words for an answer that did not come whole say of it.
struct AnswerLossTests {
    private static let rows: [(words: String, isOfCapture: Bool, isBrokenOff: Bool)] = [
        (AnswerLoss.clientLeft, false, true),
        (AnswerLoss.serverLeft + " (GOAWAY: no error)", false, true),
        (AnswerLoss.clientReset, false, true), ("connection reset by the server", false, true),
        (AnswerLoss.captureEnded, false, false),
        (AnswerLoss.recordingEnded, false, false),
        (AnswerLoss.captureEnded(before: "the SOCKS proxy answered"), false, false),
        (AnswerLoss.recordingEnded(before: "idp.example was connected"), false, false),
        (AnswerLoss.packetsMissing, true, false),
        (AnswerLoss.requestMissing, true, false),
        (AnswerLoss.serverMissing, true, false),
        (AnswerLoss.targetMissing, true, false),
        (AnswerLoss.statusMissing, true, false),
        (AnswerLoss.bytesMissing(253, isExact: false, of: "server"), true, false),
        (AnswerLoss.undecrypted("the answer", "there is no key"), true, false),
    ]

    /// Of an answer with a part of its body.
    @Test(arguments: rows)
    func wordsSayWhoseDoingItWas(words: String, isOfCapture: Bool, isBrokenOff: Bool) {
        var body = Body(text: "{\"access_token\":", mediaType: "application/json")
        body.isTruncated = true
        var exchange = Exchange(
            startedAt: Timestamp(seconds: 1_785_920_400),
            request: RecordedRequest(method: "POST", url: RecordedURL("https://idp.example/token"))
        )
        exchange.response = RecordedResponse(status: 200, body: body)
        exchange.failure = words
        #expect(exchange.lacksItsAnswer == isOfCapture)
        #expect(exchange.isBrokenOff == isBrokenOff)
        #expect(exchange.isAnswerUnseen == !isBrokenOff)
        exchange.duration = .seconds(9)
        #expect(exchange.isAnswerUnseen == !isBrokenOff)
        // Who has waited so long had none.
        exchange.duration = .seconds(10)
        #expect(exchange.isAnswerUnseen == isOfCapture)
    }

    /// As files have them that were written before.
    @Test func wordsStay() {
        #expect(AnswerLoss.captureEnded == "the capture ends before the answer was complete")
        #expect(AnswerLoss.recordingEnded == "the recording ended before the answer was complete")
        #expect(
            AnswerLoss.bytesMissing(44, isExact: true, of: "server")
                == "44 bytes of the server are not in the capture"
        )
        #expect(
            AnswerLoss.undecrypted("from here on it", "no key")
                == "from here on it could not be decrypted: no key"
        )
    }
}
