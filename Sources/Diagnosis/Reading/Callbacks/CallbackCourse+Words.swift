/// What is said of each way in which an app's server may come to refuse a callback, and what is to be done about it.
extension CallbackCourse {
    static let quoted = """
        The provider's answer reached the redirect URI, and the app answered with an error that quotes the provider: its server was refused when \
        it brought the code to the token endpoint. That request is not in this capture.
        """
    static let quotedFix = """
        Go by what is quoted: invalid_client is about the app's own credentials (a wrong or expired secret), invalid_grant about the code, its \
        verifier or the redirect URI. Record the app's server as well to see the request itself.
        """

    static let withTokens = """
        The app knew the login again and exchanged its code, and then answered with an error all the same: it was not content with what it got, \
        or failed while it began its own session. Cookies and state are not the reason.
        """
    static let withoutIDTokenFix = """
        There is no ID token in the answer to the code. Compare what the app wants of that answer with what it has: an ID token (scope openid), a refresh_token, expires_in as a \
        number, token_type; then what it asks an API about the user, and whether it knows this user. Its own log for the time of this request says which.
        """
    static let encryptedFix = """
        The ID token is encrypted. See first that the app has the private key of the token's kid, takes its alg and enc, and that the provider has the public half of that very key; then \
        compare what it expects of what is inside: algorithm, issuer, audience, nonce. The app's own log for the time of this request says which.
        """
    static let withTokensFix = """
        Compare what the app is set to expect of the ID token with what this one has: the algorithm of its signature, issuer, audience, the \
        claims it wants, and whether it knows this user. The app's own log for the time of this request says which.
        """

    static let answeredTwice = """
        The provider answered this login a second time, with another code: its sign-in page was sent once more, by the back button, a \
        double click, or a page that the browser had kept. The app had used the state up with the first answer, which went well, so it did \
        not know the second one.
        """
    static let answeredTwiceFix = """
        Nothing is wrong with cookies or state. Have the app send a user who is signed in already on to where the login was to lead, in \
        place of an error, and begin a new login otherwise.
        """

    static let premature = """
        The app knew the login again and exchanged its code. By the clock of its server the ID token was not issued, or not valid, yet when it looked at it: \
        the provider's clock is ahead of the app's. Libraries that grant no leeway refuse such a token, be it for a second.
        """
    static let prematureFix = """
        Set the clocks of both servers by network time, and let the app's library grant some seconds (leeway, clockTolerance, clock skew). If its log names \
        another reason, compare issuer, audience, algorithm and claims.
        """

    static let stopped = """
        The provider's answer reached the redirect URI with a code or an ID token in it. While the app worked on it, its own server asked for \
        something that it did not get; then the app answered with an error.
        """
    static let stoppedFix = """
        Look at that request first: compare its address with the one that the provider's metadata names, and read what was answered. If it is \
        as it should be, the app's own log for this time has the answer.
        """

    static let inFragment = """
        The provider put its answer behind a #, and what stands there a browser keeps to itself: the app's server was asked for the redirect \
        URI alone, and refused a callback that brought it nothing.
        """
    static let inFragmentFix = """
        Where the app's server is to read the answer, ask for response_mode=form_post, or for response_type=code. Else let the redirect URI \
        answer with a page whose script reads the fragment.
        """

    static let lost = """
        The browser brought the provider's answer to the redirect URI, and was sent on from there to another spelling of the same \
        address: https for http, with or without www., a slash at the end. The code and the state did not come along, so the app found \
        nothing in its callback and refused it.
        """
    static let lostFix = """
        Register and send the redirect URI in the spelling that the app is served under, so that nothing has to send the browser on. And \
        let such redirects keep the query ($request_uri, not $uri, in nginx); one that answers a form (response_mode=form_post) has to \
        be 307 or 308, for browsers make a GET of the others.
        """

    static let gateway = """
        The provider's answer reached the redirect URI, and the status is one that balancers and reverse proxies give: what stands in front of the app \
        got no answer from it, or one that it could not pass on.
        """
    static let gatewayFix = """
        Look into the log of the proxy in front of the app first, then into the app's for the same time. At a callback a common reason is its session cookie: \
        response headers that are larger than the proxy's buffer (proxy_buffer_size of nginx) end so. Else the app is down, or waits too long for the \
        provider.
        """
    static let broker = """
        What answers at the redirect URI is itself a provider, Keycloak, which signs its users in at another one. It got that one's answer, and could not go on with \
        it: its own request for the tokens failed, or it did not take what came back.
        """
    static let brokerFix = """
        Look into Keycloak's log for the same time. Common reasons are a client secret in the settings of the identity provider that is not the other one's, a \
        certificate that Keycloak does not trust, a token endpoint that it cannot reach, and an ID token of another issuer than is set.
        """
    static let gatewayWithTokens = """
        The app exchanged its code with success, and the browser got a status that balancers and reverse proxies give: what stands in front of the app \
        could not pass its answer on, or did not wait for it. Neither the tokens nor the provider need be at fault.
        """
    static let gatewayWithTokensFix = """
        Look into the log of the proxy in front of the app for this time. "upstream sent too big header" means the session cookies that the app sets now: raise \
        the proxy's buffer for response headers (proxy_buffer_size of nginx), or keep the tokens on the server and an identifier in the cookie. Else the app \
        stopped or took too long, and its own log says where.
        """
    static let otherProgram = """
        The provider's answer came to this machine, and what listens at that port has nothing at that path. The program that opened the \
        browser did not get it: another program's server had the port first, or the program's own listens at another path.
        """
    static let otherProgramFix = """
        See who listens at the port (netstat -ano on Windows, lsof -i elsewhere) and stop it for the login. Better, let the program listen \
        on http://127.0.0.1 at a free port of its choice, which providers have to allow (RFC 8252, section 7.3), and say so when it gets \
        none.
        """

    static let forgotten = """
        The provider's answer reached the redirect URI, and its cookies came with it. The app then took all its cookies back and sent the browser to a page of its \
        own without a word of the reason, as Streamlit does whatever goes wrong there: nobody is signed in.
        """
    static let forgottenFix = """
        Read the app's own log for the time of this request (Streamlit's terminal): mostly its server's exchange of the code was refused, for the client secret or the \
        redirect URI, or the ID token did not pass. Record the app's server as well to see those requests.
        """

    static let nowhere = """
        The provider's answer came to an address at which the app has nothing: the redirect URI that is registered and sent is not the path that the app \
        listens at.
        """
    static let nowhereFix = """
        Compare the path of the redirect URI with the route of the app's callback, prefixes of a proxy or a servlet context included, and change the one \
        that is wrong; a change of the redirect URI has to be registered at the provider as well.
        """

    static let overtaken = """
        Before the provider's answer came, the app had begun another login in the same session: another tab, the way back, a page that begins \
        one by itself. An app that keeps one state per session has forgotten the one of this answer, and has to refuse it.
        """
    static let overtakenFix = """
        Keep what belongs to a login by its state, not one for the whole session, so that two can be under way; and let a callback that is not \
        known begin the login anew.
        """
}
