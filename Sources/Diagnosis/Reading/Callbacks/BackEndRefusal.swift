import Captures
import Flows
import OAuth

/// An app on a device that took the provider's answer itself, handed its code or its tokens to its own server, and was refused
/// there.
enum BackEndRefusal {
    /// Nil where no app handed anything on, or its server took it.
    static func violation(in flow: Flow) -> Violation? {
        for login in flow.logins {
            guard let relay = AppHandover.refusal(of: login, in: flow) else { continue }
            if relay == IdentityPlatformSignIn.refusal(of: login, in: flow) {
                return IdentityPlatformSignIn.violation(at: relay, in: flow)
            }
            let isExchanged = AppHandover.isExchangedByServer(login, in: flow)
            if isExchanged, isOfRefusedCall(at: relay, flow) { continue }
            let what = login.tokenRequests.isEmpty || isExchanged ? "code" : "token"
            let isAnswered = flow.capture[relay].response != nil
            let evidence = answer(to: relay, with: what, in: flow)
            if isAnswered, let value = ServersValue(unusedBy: login, relay: relay, in: flow) {
                return Violation(
                    evidence + [value.told, value.sent],
                    explanation: value.explanation,
                    fix: value.fix,
                    title: value.title,
                    exchange: relay
                )
            }
            return Violation(
                evidence,
                explanation: isAnswered
                    ? (isExchanged ? exchanged : what == "code" ? relayed : handed) : silent,
                fix: isAnswered
                    ? (isExchanged ? exchangedFix : what == "code" ? relayedFix : handedFix) : silentFix,
                title: !isAnswered
                    ? "The app's own server did not answer"
                    : isExchanged
                        ? "The app's own server exchanged the code, and refused the app all the same"
                        : "The app's own server refused the \(what)",
                exchange: relay
            )
        }
        return nil
    }

    /// Whether UserInfo or an API refused the new token, or the provider refused who asked about it, while the app's server was at work
    /// on a request: that is what stopped it.
    static func isOfRefusedCall(at place: Int, _ flow: Flow) -> Bool {
        let work = flow.capture[place]
        return OtherFindings.refusedCalls.tell(of: flow) { refusal in
            guard refusal.severity != .note,
                let call = refusal.exchange.map({ flow.capture[$0] })
            else { return false }
            return call.startedAt >= work.startedAt && call.startedAt <= work.endedAt
        }
    }

    /// What the app handed over, and what its server answered.
    private static func answer(to relay: Int, with what: String, in flow: Flow) -> [Evidence] {
        let exchange = flow.capture[relay]
        let evidence = [
            flow.urlEvidence(of: relay, note: "where the app handed the \(what) to its own server"),
            Evidence(
                place: Place(exchange: relay, part: .responseStatus, name: ""),
                value: exchange.response.map { "\($0.status)" }
                    ?? Masking.shown(Excerpt.start(of: exchange.failure ?? ""), of: "failure"),
                note: exchange.response == nil ? "no answer" : "refused"
            ),
        ]
        let words = PageText.told(by: exchange.response?.body)
        guard !words.isEmpty else { return evidence }
        let body = Evidence(
            place: Place(exchange: relay, part: .responseBody, name: ""),
            value: Masking.shown(words, of: "body")
        )
        return evidence + [body]
    }

    /// A code that the app handed to its server once more, in the same words, when that had taken it; nil where none was refused.
    static func repeated(in flow: Flow) -> Violation? {
        for login in flow.logins {
            let relays = AppHandover.relays(of: login, in: flow)
            guard
                let first = relays.first(where: {
                    flow.capture[$0].response?.isSuccessful ?? false
                }),
                !StatedFailure.isRefusal(flow.capture[first])
            else { continue }
            let request = flow.capture[first].request
            let again = relays.first { index in
                let other = flow.capture[index]
                return index != first && other.startedAt > flow.capture[first].startedAt
                    && (400..<500).contains(other.response?.status ?? 0) && other.response?.status != 429
                    && other.request.method == request.method && other.request.url.text == request.url.text
                    && other.request.body?.bytes == request.body?.bytes
            }
            guard let again else { continue }
            let words = PageText.told(by: flow.capture[again].response?.body)
            let body = Evidence(
                place: Place(exchange: again, part: .responseBody, name: ""),
                value: Masking.shown(words, of: "body")
            )
            return Violation(
                [
                    flow.statusEvidence(
                        of: first,
                        note: "the app handed the code to its own server, which took it"
                    ),
                    flow.statusEvidence(of: again, note: "the same request once more, refused"),
                ] + (words.isEmpty ? [] : [body]),
                severity: .warning,
                explanation: twice,
                fix: twiceFix,
                title: "The app handed its code to its own server twice",
                exchange: again
            )
        }
        return nil
    }

    private static let twice = """
        The app handed the code of its login to its own server, which took it, and then sent the same request again. Codes and states are good for one \
        time, so that was refused, and an error may be what the user saw last.
        """
    private static let twiceFix = """
        Hand each answer over once: look for a handler of the redirect that runs twice (an activity that is made anew, a hook that renders twice, a retry \
        that does not wait for the first request), and let the server answer a repetition as it answered the first.
        """

    private static let relayed = """
        The provider's answer reached the app, which handed the code to its own server to be exchanged there. That server answered with an error: \
        the provider and the app's half of the login are not at fault. What the server asked the provider is not in this capture.
        """
    private static let relayedFix = """
        Read what the server answered, and its log for this time. A server that exchanges an app's code needs the client_id, the redirect URI and the \
        code_verifier of the very request that the app made; record it as well (authreel record) to see its token request.
        """

    private static let exchanged = """
        The provider's answer reached the app, and the server that the app handed the code to exchanged it with success. Then it answered the app with \
        an error all the same: it was not content with what it got, or failed while it began its own session. The provider is not at fault.
        """
    private static let exchangedFix = """
        Read what the server answered, and its log for this time. Compare what it is set to expect of the ID token with what this one has: issuer, audience, \
        nonce (the one that it made up, or the app?), algorithm, the key it is encrypted to; and whether the server knows this user.
        """

    private static let handed = """
        The login at the provider went well: the app got its tokens. It then handed one of them to its own server, to be signed in there, and that \
        server answered with an error. The provider is not at fault.
        """
    private static let handedFix = """
        Read what the server answered, and its log for this time. Compare what it expects of the token with what this one has: audience (the server's own \
        client, not the app's), issuer, nonce, and which of the two tokens it wants.
        """

    private static let silent = """
        The login at the provider went well, and the app handed what it got to its own server, to be signed in there. That server gave no answer.
        """
    private static let silentFix = """
        See whether the app's server is up, and reachable from the device under this address: localhost is the device itself there (10.0.2.2 is the \
        computer that runs an Android emulator), and a name of the office network is not known outside of it.
        """
}
