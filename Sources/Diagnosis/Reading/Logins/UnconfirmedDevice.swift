import Captures
import Flows
import OAuth

/// The login of a device that nobody confirmed while it was recorded (RFC 8628).
enum UnconfirmedDevice {
    /// The device's code was given out, and it asked for its tokens in vain until the recording ended.
    static func violation(in flow: Flow) -> Violation? {
        guard flow.ending == .incomplete, let grant = DeviceGrant.all(in: flow).last,
            let code = grant.userCode, let poll = grant.polls.last, !isThrottled(poll, flow)
        else { return nil }
        let times = grant.polls.count == 1 ? "once" : "\(grant.polls.count) times"
        // Whoever has it may confirm the device still.
        let masked = Masking.masked(code.value)
        var evidence = [
            Evidence(place: code.place, value: masked),
            poll.answer.evidence(note: "asked for the tokens \(times)"),
        ]
        let page = lastPage(in: flow)
        if let page {
            let body = flow.capture[page].response?.body
            let alert = PageText.alert(of: body)
            let words = (alert ?? PageText.start(of: body)).replacingBytes(code.value, with: masked)
            evidence.append(
                Evidence(
                    place: Place(exchange: page, part: .responseBody, name: ""),
                    value: Masking.shown(words, of: "body"),
                    note: alert == nil ? "the last page of the provider" : "what the page tells the user"
                )
            )
        }
        let isRefused = page.map { isRefusal($0, flow) } ?? false
        return Violation(
            evidence,
            explanation: isRefused ? refused : poll.mayBePending ? unsaid : unconfirmed,
            fix: isRefused ? refusedFix : poll.mayBePending ? unsaidFix : unconfirmedFix,
            title: poll.mayBePending
                ? "The device got no tokens while it was recorded"
                : "The device's code was not confirmed while it was recorded",
            exchange: poll.exchange
        )
    }

    /// The last page that the device's user was shown.
    static func lastPage(in flow: Flow) -> Int? {
        flow.exchanges.last {
            flow.surroundings.messages[$0] == nil && (SignInAnswer.isPage($0, flow) || isRefusal($0, flow))
        }
    }

    /// A page with a status of an error; what is missing, and a challenge, may be of something that the page loads.
    private static func isRefusal(_ exchange: Int, _ flow: Flow) -> Bool {
        guard let response = flow.capture[exchange].response, response.body?.isPage ?? false else {
            return false
        }
        return response.isClientError && ![401, 404, 429].contains(response.status)
            && !SignInAnswer.isPage(exchange, flow)
    }

    /// Whether the device was told to wait last, and had not: that says nothing of the user.
    private static func isThrottled(_ poll: TokenRequest, _ flow: Flow) -> Bool {
        guard poll.answer.error?.error == "slow_down", let pace = DevicePace.first(in: flow) else {
            return false
        }
        return pace.severity != .note
    }

    private static let unconfirmed = """
        The provider gave the device a code for its user, and answered each question for the tokens that the user had not confirmed it. No error \
        was reported.
        """
    private static let unsaid = """
        The provider gave the device a code for its user, and had no tokens for it yet when it asked last. With this status providers say that the user \
        has not confirmed the code, and also that they said no or that the code has run out: the words that tell which were not saved.
        """
    private static let unsaidFix = """
        Save the capture with the bodies of the answers; record on until the device has its tokens, or says why not.
        """
    private static let refused = """
        The provider gave the device a code for its user, and answered each question for the tokens that the user had not confirmed it. The last page that \
        the user was shown is one of an error: the device is not told of that.
        """
    private static let refusedFix = """
        The words of the page say what kept the code from being confirmed: the code itself, the client, or the user. See to that, and begin anew for another \
        code.
        """
    private static let unconfirmedFix = """
        Nothing in the traffic is wrong. If the code was entered, look at the provider's last page for a message to the user; record on until the \
        device has its tokens.
        """
}
