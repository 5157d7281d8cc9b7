import Captures
import Flows
import OAuth

/// What an app has to do for the answer of a login to come to it, by the system of the device whose browser got it.
enum AnswerOnDevice {
    /// The browser's own word that nothing on the device takes the scheme of an answer's address; nil where it said none.
    ///
    /// On Android alone: elsewhere Chromium says so without a window, or inside an app of its own, whatever is installed.
    static func unknownScheme(of delivery: CodeDelivery, in flow: Flow) -> Evidence? {
        guard !delivery.response.target.isWeb, agent(of: delivery, in: flow).containsBytes("Android"),
            let failure = flow.capture[delivery.exchange].failure,
            failure.containsBytes("ERR_UNKNOWN_URL_SCHEME")
        else { return nil }
        return Evidence(
            place: Place(exchange: delivery.exchange, part: .responseStatus, name: ""),
            value: Excerpt.start(of: failure),
            note: "no app takes \(delivery.response.target.scheme ?? "the scheme"):"
        )
    }

    /// Nil where the name of the browser does not tell the system.
    static func fix(for delivery: CodeDelivery, in flow: Flow) -> String? {
        let agent = agent(of: delivery, in: flow)
        let isClaimed = delivery.response.target.isWeb
        if AppOnDevice.isIOS(agent) { return isClaimed ? claimedOnIOS : schemeOnIOS }
        return agent.containsBytes("Android") ? isClaimed ? claimedOnAndroid : schemeOnAndroid : nil
    }

    /// What the browser that got the answer calls itself.
    private static func agent(of delivery: CodeDelivery, in flow: Flow) -> String {
        flow.capture[delivery.response.exchange].request.userAgent ?? ""
    }

    static let unknown = Violation.Words(
        title: "No app on the device takes the redirect URI's scheme",
        explanation: """
            The provider sent the user back with a code, and the browser found nothing to open the address with. Either the app does not declare the scheme as it is written there, or the page \
            is shown in a web view, which opens no other app by itself.
            """,
        fix: """
            Declare the scheme in lower case in the app that is installed: the intent filter of the activity that receives the answer, with the action VIEW and the categories DEFAULT and BROWSABLE \
            (AppAuth: the placeholder appAuthRedirectScheme). In a web view open the login in a Custom Tab instead.
            """
    )

    private static let schemeOnIOS = """
        ASWebAuthenticationSession (AppAuth's default) has to be given the scheme of the redirect URI as callbackURLScheme, and kept until it is answered (AppAuth: currentAuthorizationFlow): one that \
        is released ends without a word. Of any other browser, declare the scheme (CFBundleURLTypes in Info.plist) and hand what arrives in scene(_:openURLContexts:), without scenes in \
        application(_:open:options:), to resumeExternalUserAgentFlow(with:). Then see which error the completion handler is given.
        """
    private static let claimedOnIOS = """
        Hand what arrives in scene(_:continue:), without scenes in application(_:continue:restorationHandler:), to resumeExternalUserAgentFlow(with:), and keep the pending session until then (AppAuth: \
        currentAuthorizationFlow). ASWebAuthenticationSession takes an https address itself from iOS 17.4 on, by host and path. Then see which error the completion handler is given.
        """
    private static let schemeOnAndroid = """
        Declare the scheme in the intent filter of the activity that receives the answer (AppAuth: RedirectUriReceiverActivity, by the placeholder appAuthRedirectScheme), in no other app on the device \
        and in no other activity. See that what began the login is still there when the answer comes (launchMode, noHistory, a process that the system has ended), and what \
        AuthorizationException.fromIntent says.
        """
    private static let claimedOnAndroid = """
        See that the activity that receives the answer has the address in its intent filter, host and path, with autoVerify (AppAuth: RedirectUriReceiverActivity), that no other activity takes it, and \
        that what began the login is still there when the answer comes (launchMode, noHistory, a process that the system has ended); then what AuthorizationException.fromIntent says.
        """
}
