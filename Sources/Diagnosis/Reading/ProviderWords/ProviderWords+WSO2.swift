import Flows

extension ProviderWords {
    /// Those of WSO2 Identity Server and Asgardeo, by the keys that its pages of errors are told, and by their text.
    static let ofWSO2: [Known] = ofAccounts + ofSteps + ofRequests + ofUnnamedReasons

    private static let ofAccounts: [Known] = [
        Known(
            "17003:",
            "17003 user account is locked",
            explanation:
                "WSO2 has locked the account of this user, after too many wrong passwords or by an administrator.",
            fix: """
                Unlock the user (the claim accountLocked), or wait for the unlock time of the Login Attempts Security settings. The number in front tells: 17003 locked, 17002 wrong password, 17001 no \
                such user.
                """
        ),
        Known(
            "account is locked",
            "account is temporarily locked",
            of: .wso2,
            explanation:
                "WSO2 has locked the account of this user, after too many wrong passwords or by an administrator, and says so whatever password is sent.",
            fix: """
                Unlock the user (the claim accountLocked; Lock user account in the console), or wait for the unlock time of the Login Attempts Security settings. The claim accountState has the reason.
                """
        ),
        Known(
            "account is unverified",
            "account approval is pending",
            "password reset is required",
            of: .wso2,
            explanation:
                "The account of this user is not open yet: its address has to be confirmed, somebody has to approve it, or a new password is to be set first.",
            fix: """
                Have the user follow the link of WSO2's mail (sent anew from the page), or approve the request (My Account, Approvals). The claim accountState has what is awaited; no mail comes where the email provider of the \
                server is not set up.
                """
        ),
        Known(
            "17004:",
            explanation: "The account of this user is disabled in WSO2.",
            fix: "Enable it (the claim accountDisabled), or sign in as somebody else."
        ),
        Known(
            "does not allow users from your organization",
            "user.tenant.domain.mismatch",
            explanation:
                "The user is of another tenant than the app, and the app is for users of its own tenant alone.",
            fix: """
                Sign in as a user of the app's tenant, or make the app a SaaS application (the setting of that name at the service provider), which lets in users of all tenants.
                """
        ),
        Known(
            "username.already.exists",
            of: .wso2,
            explanation: """
                The user came back from a connection behind WSO2 and was to be provisioned just in time, under a name that another user has already.
                """,
            fix: """
                Link the two accounts, or have the connection provision under another attribute (Just-in-Time Provisioning, and the subject attribute of the connection); delete the old user where it is left over.
                """
        ),
        Known(
            "pkce is mandatory for this application",
            explanation: """
                The application is set to take no login without a code_challenge. Older versions of WSO2 Identity Server want one from the device grant as well, which has none to send.
                """,
            fix: """
                Send code_challenge and code_challenge_method=S256 with a login in the browser. For devices register an application of their own, and leave PKCE mandatory switched off there.
                """
        ),
        Known(
            "claim.request.missing",
            of: .wso2,
            explanation: """
                The app has mandatory attributes that the user's profile lacks and that the user may not enter, as they are read-only.
                """,
            fix:
                "Fill them in for the user, or take Mandatory from them at the app (User Attributes, in older versions the claim configuration of the service provider)."
        ),
        Known(
            "user.denied.consent.error",
            "user.denied.mandatory.consent.error",
            explanation:
                "The user did not agree to hand on the attributes that the app asks for, and WSO2 ended the sign-in on a page of its own.",
            fix: """
                Begin anew and agree. An app whose users are not to be asked skips consent (Skip login consent at the app); what is not needed should not be mandatory.
                """
        ),
    ]

    private static let ofSteps: [Known] = [
        Known(
            "suspicious.authentication.attempts",
            explanation: """
                WSO2 ties each step of a sign-in to the browser by a cookie that is a new one every time, and this step came without the one that it had set last: the cookie was not kept or not sent, \
                or the page was sent twice, out of the history or from another tab.
                """,
            fix: """
                Begin the login anew, in one tab. Where it comes again, look for what loses the provider's cookies: a page in a frame of another site, an address of the provider that changes on the way, \
                http instead of https behind a proxy.
                """
        ),
        Known(
            "post.auth.cookie.not.found",
            "post authentication sequence tracking cookie not found",
            explanation: """
                The user had signed in, and came back from a page behind it (consent, missing attributes) without the cookie by which WSO2 follows that part, whose name begins with pastr: it was lost, or the flow had \
                ended already.
                """,
            fix: """
                Begin the login anew, in one tab. Where it comes again, see what loses the provider's cookies on the way: another host name than the one that set it, a frame, a web view that is opened anew, http behind \
                a proxy.
                """
        ),
        Known(
            "authentication.context.null",
            "authentication.flow.timeout",
            "aba-60008",
            "authentication flow time out",
            explanation: """
                WSO2 does not know the sign-in any more that the browser goes on with: the page stood open for too long, was loaded again out of the history, or another node was asked that has not got it.
                """,
            fix: """
                Begin the login at the app anew; a bookmark of the sign-in page cannot work. Where it comes at once, see that the nodes share their sessions (clustering, or session persistence in one database) and that \
                the load balancer keeps a browser at one; where users are slow, raise the lifetime of a sign-in.
                """
        ),
        Known(
            "invalid_request: invalid authorization request",
            "access_denied: session timed out",
            of: .wso2,
            explanation: """
                The sign-in or consent was finished, and the authorization endpoint found nothing any more under its sessionDataKey: it had been used already (a page sent twice, the button back), it had run out, or another \
                node was asked.
                """,
            fix: """
                Begin the login anew, once. Where it always comes, see that all nodes have one session store and that requests of a browser stay at one node; look at the timeouts of caches where users are slow.
                """
        ),
        Known(
            "authorization.failed",
            of: .wso2,
            explanation: """
                The user signed in, and the authorization policy of this application does not let them in: Enable Authorization is on at the service provider, and no policy (XACML) permits user and application.
                """,
            fix: """
                See the published policies for this application (roles, user store, time), and what the policy administration's Try It says of this user; or switch Enable Authorization off in Local & Outbound \
                Authentication Configuration.
                """
        ),
        Known(
            "login_required: authentication required",
            of: .wso2,
            explanation: """
                WSO2 gave the sign-in up and told the app so: it has this one answer for a step that failed for good, for a user who went back at a provider behind it, and for a failed adaptive script.
                """,
            fix: """
                Look at the last page before it, and at WSO2's log at that time. Where a provider behind signs the user in, its own error stands in its answer to /commonauth: a wrong secret, a callback that is not \
                registered, a certificate that is not in client-truststore.jks. In an adaptive script see onFail and sendError.
                """
        ),
    ]

    private static let ofRequests: [Known] = [
        Known(
            "is an invalid tenant domain",
            explanation:
                "WSO2 has no tenant (organization) of the name behind /t/ in the path, or it is not active.",
            fix: """
                Compare the address with the tenant's own, letter by letter; take the endpoints from its discovery document (/t/NAME/oauth2/token/.well-known/openid-configuration). The first tenant is carbon.super, whose \
                paths have no /t/.
                """
        ),
        Known(
            "aba-60007",
            "app native authentication is not enabled",
            explanation:
                "The app signs its user in by WSO2's API (response_mode=direct), and the application is not set up for that.",
            fix: """
                Switch on app-native authentication at the application (Advanced tab, Enable app-native authentication API), with client attestation where it is asked for; or sign in by the browser, without response_mode=direct.
                """
        ),
        Known(
            "a valid oauth client could not be found",
            "cannot find an application associated with the given consumer key",
            explanation:
                "WSO2 has no client of this client_id in the tenant (organization) whose endpoint was asked.",
            fix: """
                Compare client_id with the application's Protocol tab (OAuth Client Key in older versions), and the path's /t/NAME with its tenant, at this endpoint and at the authorization endpoint alike; \
                one without /t/ is of carbon.super.
                """
        ),
        Known(
            "authentication.api.based.unsupported.authenticator",
            explanation:
                "The application's login flow has a step that WSO2's API cannot take: its authenticator needs a browser, as a connection by SAML does.",
            fix:
                "Take that authenticator out of the login flow of this application (Login Flow), or sign in by the browser, without response_mode=direct."
        ),
        Known(
            "callback.not.match",
            explanation: "WSO2 knows the client, and the redirect_uri that it sent is not one of its own.",
            fix: """
                Add the very string to Authorized redirect URLs of the application (Protocol tab; Callback Url in older versions). Several are written there as regexp=(one|other) in older versions.
                """
        ),
        Known(
            "valid token binding value not present",
            explanation: """
                The application binds its tokens (Access token binding type), and the request lacks what they are bound to: the cookie atbv of the browser in which the user signed in, the client's certificate, or the device's id.
                """,
            fix: """
                An app that exchanges its code outside of the browser needs the type None, or DPoP; Cookie and SSO-session are for pages that send their cookies to the token endpoint (credentials: include).
                """
        ),
        Known(
            "persisted access token data not found",
            "persisted refresh token is not active",
            of: .wso2,
            explanation: """
                WSO2 does not know the refresh token: it was revoked, was replaced by a newer one, or ended with the user's session.
                """,
            fix: """
                Begin a new login. Where the app keeps the refresh token of an earlier answer, have it store the one of each answer (Renew refresh token at the application gives a new one each time); see that one part of the app \
                refreshes at a time.
                """
        ),
        Known(
            "callback url mismatch",
            of: .wso2,
            explanation:
                "WSO2 compared the redirect_uri of the token request with the one that the code was issued for, and they are not the same string.",
            fix:
                "Send the same redirect_uri in both requests, and see that the code is of that very login and not of an earlier one."
        ),
    ]

    /// Asked last: they name no reason.
    private static let ofUnnamedReasons: [Known] = [
        Known(
            "something went wrong during the authentication process",
            "something.went.wrong.contact.admin",
            explanation: """
                WSO2 ended the sign-in on its page for errors, and that does not say why: something failed inside of it, or in what stands behind a step.
                """,
            fix: """
                The reason is in WSO2's log at this time (wso2carbon.log, by the correlation id; at Asgardeo under Logs). Mostly it is a connection behind it, whose secret, endpoints or certificate \
                (client-truststore.jks) do not fit; a step whose authenticator is not configured; or a page that was sent twice or too late.
                """
        ),
        Known(
            "server_error",
            of: .wso2,
            explanation: "WSO2 failed inside, and tells the client no more of it than this.",
            fix:
                "Look in WSO2's log at this time (wso2carbon.log, by the correlation id): mostly a user store, the database or a handler of its own did not answer."
        ),
        Known(
            "authentication.attempt.failed",
            explanation:
                "WSO2 gave this sign-in up behind its last step, for the reason whose key stands beside it.",
            fix: """
                The key is that of a message of the authentication portal (Resources.properties). WSO2's log has the rest at this time: mostly provisioning, attributes or consent of the user, or a user store that did not answer.
                """
        ),
    ]
}
