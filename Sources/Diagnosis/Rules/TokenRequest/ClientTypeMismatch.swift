import Captures
import Flows
import OAuth

/// The provider says that the client, or its redirect URI, is registered for another kind of app.
///
/// Only the provider knows how the client is registered, so its words decide; the finding adds who it was that
/// asked.
struct ClientTypeMismatch: Rule {
    static let info = RuleInfo(
        id: "client-type-mismatch",
        title: "The client is registered as another kind of app",
        severity: .error,
        explanation: """
            Providers tell web apps, single-page apps and native apps apart, and allow each other ways in. The one that asked here is not of \
            the kind that this client_id or redirect URI is registered for.
            """,
        fix: """
            At Entra a redirect URI of the platform "single-page application" can only be redeemed by the page itself; for a back end register \
            it under "web". At Google every kind of app has a client of its own: use the id of the iOS, Android or desktop client in the app, \
            not the web client's.
            """,
        badExample: """
            POST /token  User-Agent: node   (no Origin)
            400 invalid_request: AADSTS9002327: Tokens issued for the 'Single-Page Application' client-type may only be redeemed via \
            cross-origin requests.
            """,
        goodExample: """
            POST /token  Origin: https://app.example   → 200
            """,
        specifications: [.rfc(6749, "2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for call in ClientCall.all(in: flow) where call.answer.isRefusal {
            guard ClientTypeRefusal.isSaid(in: call.answer.errorText) else { continue }
            var evidence = [call.answer.evidence()]
            evidence.append(sender(of: call.exchange, flow))
            if let uri = call.parameters.parameter("redirect_uri") { evidence.append(Evidence(uri)) }
            return .violated(
                Violation(
                    evidence,
                    severity: call.isRepaired ? .note : .error,
                    saying: words(for: call),
                    exchange: call.exchange
                )
            )
        }
        for attempt in flow.loginAttempts {
            guard let refusal = attempt.refusal, refusal.says(ClientTypeRefusal.texts) else { continue }
            var evidence = [
                refusal.evidence(around: ClientTypeRefusal.texts), sender(of: attempt.exchange, flow),
            ]
            for name in ["redirect_uri", "client_id"] {
                if let parameter = attempt.parameter(name) { evidence.append(Evidence(parameter)) }
            }
            let isSwitch = refusal.says([ClientTypeRefusal.disabledScheme])
            let isOfWebClient = refusal.says(ClientTypeRefusal.schemesOfWebClients)
            return .violated(
                Violation(
                    evidence,
                    saying: isSwitch ? Self.schemeDisabled : isOfWebClient ? Self.webClient : nil,
                    exchange: attempt.exchange
                )
            )
        }
        return .holds
    }

    /// Whether Entra says that only a page may redeem the code, and it came to a program on the user's own machine.
    private static func isOfProgram(_ call: ClientCall) -> Bool {
        guard ClientTypeRefusal.isForPagesAlone(in: call.answer.errorText),
            let target = call.parameters["redirect_uri"].map({ RecordedURL($0) })
        else { return false }
        return !target.isWeb
            || target.isOnLoopback
                && call.authentication.methods == [.none]
    }

    private static let programFix = """
        The redirect URI is registered for a single-page application, whose code only a page may redeem. Take it out there and register it \
        for the platform "mobile and desktop applications" of the same app registration.
        """

    private func words(for call: ClientCall) -> Violation.Words? {
        if Self.isOfProgram(call) { return Violation.Words(fix: Self.programFix) }
        return ClientTypeRefusal.isOfDevices(call.answer.errorText) ? Self.otherThanDevice : nil
    }

    private static let otherThanDevice = Violation.Words(
        explanation: """
            The device grant is for what has no browser of its own. Google lets clients of the type TVs and Limited Input devices use it, and this client_id is of another type.
            """,
        fix: """
            Create a client of the type TVs and Limited Input devices in the same project, and have the device send its client_id with the request for the code, and client_id and client_secret with \
            the polls. A program with a browser beside it takes a client of the type desktop app and the code flow instead.
            """
    )

    private func sender(of exchange: Int, _ flow: Flow) -> Evidence {
        let headers = flow.capture[exchange].request.headers
        let name = headers.contains("origin") ? "Origin" : "User-Agent"
        return Evidence(
            place: Place(exchange: exchange, part: .requestHeader, name: name),
            value: headers.first(name).map { Masking.shown($0, of: name) } ?? "missing",
            note: name != "Origin"
                ? "no Origin: not sent by a page"
                : ClientTypeRefusal.isOfProgram(headers)
                    ? "sent by a program that is no browser" : "sent by a page"
        )
    }

    private static let schemeDisabled = Violation.Words(
        title: "The client may not be answered at a scheme of the app's own",
        explanation: """
            The client is one of the right kind, and Google does not send its answers to a scheme of the app's own any more unless that is switched on: any other \
            app on the device may register the same scheme.
            """,
        fix: """
            Sign in with Google's own library for the platform (Credential Manager on Android), which needs no redirect. Until then switch Enable custom URI scheme on in \
            the Advanced settings of this client, which takes some minutes to hold.
            """
    )

    private static let webClient = Violation.Words(
        explanation: """
            The app asks to be answered at a scheme of its own, and the client_id is of the type web application, which Google answers at https addresses alone.
            """,
        fix: """
            Create a client of the type iOS (with the bundle id) or Android (with package name and SHA-1 of the certificate that signs the app) in the same project, and have the app send that one's client_id; \
            for iOS the scheme is the client_id turned around (com.googleusercontent.apps.…). The web client stays for the server.
            """
    )
}
