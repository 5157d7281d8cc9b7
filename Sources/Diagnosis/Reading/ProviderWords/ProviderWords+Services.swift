import Flows

extension ProviderWords {
    /// Those of services: Singpass, MyInfo, Google, Apple, Okta, Auth0, Amazon Cognito, LINE, Azure AD B2C, Salesforce, BankID,
    /// FranceConnect and other identities, LinkedIn, Stripe.
    static let services: [Known] =
        ofSalesforce + ofSingpass + ofGoogle + ofCognito + ofFranceConnect + ofIdentity + others

    private static let others: [Known] = [
        Known(
            "app_attest_failed",
            "app_attest_failed_retry",
            explanation:
                "Salesforce could not verify that the request comes from the genuine app: its attestation (App Attest on iOS, Play Integrity on Android) was missing, old or of another build.",
            fix: """
                Compare the bundle id or package, and the team or signing certificate, of this very build with the attestation settings of the External Client App; builds for development have others than those of the store. Try a \
                refusal that ends in _retry once more with a new attestation.
                """
        ),
        Known(
            "the code has expired or has been revoked",
            of: .apple,
            explanation:
                "Apple gives out a code for one exchange within five minutes: this one was exchanged before, or came later than that.",
            fix: """
                Exchange each code once, and as soon as the app has it: every sign-in brings a new one, so an app that repeats its request has to begin with a new sign-in. Later on refresh, or take the ID token, which \
                Apple's keys verify.
                """
        ),
        Known(
            "code provided does not belong to you",
            explanation:
                "Stripe knows the platform by its secret key alone, and this key is of another account than the client_id that the login began with.",
            fix: """
                Take the secret key of the very account whose client_id (ca_…) the login names, of the same mode: test accounts and sandboxes have keys of their own.
                """
        ),
        Known(
            "policy evaluation failed for this request",
            explanation:
                "No rule of Okta's policies lets this request through: none of the authorization server's access policies fits client, user, grant type and scopes, or the app's sign-on policy says no.",
            fix: """
                In the settings of the authorization server (Security, API) have an access policy that is assigned to this client, with a rule for its grant type, its users and all scopes that it asks \
                for. A custom authorization server that was newly made has none.
                """
        ),
        Known(
            "user is not assigned to the client application",
            explanation:
                "The user has an account at Okta, and the app is not assigned to them nor to a group of theirs.",
            fix:
                "Assign the user or a group to the app (Applications, Assignments), or switch its federation broker mode on, which lets everybody in."
        ),
        Known(
            "\"client-grant\"",
            "client is not authorized to access \"",
            "is not authorized to access resource server",
            explanation:
                "Auth0 knows the client and the API, and the client may not have tokens for this API, or not for these scopes.",
            fix:
                "Authorize the client for the API (APIs, the API, Application Access or Machine to Machine Applications) with the scopes that it asks for; compare audience with the API's identifier."
        ),
        Known(
            "no connections enabled for the client",
            "the connection is not enabled",
            explanation:
                "At Auth0 the client has no connection by which this login could go: none is switched on for it, or the one that the request names is not.",
            fix:
                "Switch the connection on for this application (Applications, Connections), also for the organization where the login names one."
        ),
        Known(
            "pressed the back button, refreshed during login",
            explanation:
                "Auth0 does not know the login any more that its page belongs to: its cookie did not come, the page was open for too long, or the login was finished in another tab.",
            fix: """
                Begin the login at the app, not from a bookmark of the sign-in page. Where it comes at once, see what keeps Auth0's cookies from it: pages in a frame, a custom domain in one request and not \
                in the other, too many logins begun at once.
                """
        ),
        Known(
            "now developing status",
            explanation:
                "The LINE Login channel is not published, so it lets in accounts alone that have a role in it.",
            fix:
                "Publish the channel (its status in the LINE Developers Console), or give the account that signs in the role Admin or Tester of this channel; that of the console counts only where it is linked with a LINE account."
        ),
        Known(
            "aadb2c90205",
            explanation: "Azure AD B2C: the app may not have tokens for the API whose scope it asks for.",
            fix:
                "Add the API's scopes to the app's API permissions, and grant admin consent; compare the scope with the API's application id URI."
        ),
        Known(
            "aadb2c90273",
            explanation:
                "The identity provider behind Azure AD B2C answered it with an error, which the text quotes; the app's own request was in order.",
            fix: """
                Go by the quoted error, which is about B2C's registration at that provider: its redirect URI (…/oauth2/authresp), the response type that B2C is set to ask for there (id_token has to be \
                switched on at Entra for that), its scopes and its secret.
                """
        ),
        Known(
            "\" is not authorized for your application",
            "&quot; is not authorized for your application",
            explanation: """
                LinkedIn gives scopes by products, and none that this app has brings the one that is named. r_liteprofile and r_emailaddress belong to a product that new apps do not get any more.
                """,
            fix: """
                Add the product Sign In with LinkedIn using OpenID Connect to the app (Products), and ask for openid, profile and email; name and address are then in the ID token and at /v2/userinfo, not at /v2/me.
                """
        ),
        Known(
            "aadb2c90289",
            explanation:
                "Azure AD B2C could not sign the user in at the identity provider behind it: that one refused B2C, or was not reached.",
            fix:
                "Compare the client id and secret that B2C has for that identity provider (also its policy keys), which may have run out, and register B2C's own redirect URI (…/oauth2/authresp) there."
        ),
        Known(
            "oauth_approval_error_generic",
            explanation:
                "Salesforce could not record the user's approval of the app: its policies keep this user out, or a session policy or the domain of the login does not fit.",
            fix: """
                See the app's OAuth policies (Permitted Users, IP relaxation) and the user's profile, and begin the login at the org's own My Domain; where users are pre-authorized, give them the \
                profile or permission set.
                """
        ),
        Known(
            "end-user authentication could not be obtained",
            "requested subject could not be obtained",
            "id_token_hint and authenticated subject do not match",
            explanation:
                "The user has signed in, and not as the request has to have it: not lately enough for max_age, or as somebody else than id_token_hint or claims name.",
            fix: """
                Leave id_token_hint out where another user may sign in, and see that the sign-in pages (interactions of oidc-provider) report the time of a new sign-in, by a clock that is right, where max_age or \
                prompt=login asks for one.
                """
        ),
        Known(
            "parameter redirect_uri does not match registered uri",
            explanation:
                "Twitch compares the redirect_uri of the exchange with those that are registered, and this one is none of them.",
            fix:
                "Send the exchange the redirect_uri of the login, letter by letter, and have it among the OAuth Redirect URLs in Twitch's developer console."
        ),
        Known(
            "\"message\":\"invalid authorization code",
            "\"message\": \"invalid authorization code",
            explanation:
                "The provider does not take this code: it has run out, was exchanged before, or belongs to another client.",
            fix:
                "Exchange a code once, at once, with the client_id of the login; look for a callback that runs twice."
        ),
        Known(
            "clientid provided does not match",
            explanation:
                "The code was given to another client than the one that exchanges it: the login and the exchange have different client ids.",
            fix:
                "Take client_id for both from the same setting, and see that id and secret are of the same app and environment."
        ),
        Known(
            "expiredtransaction",
            "startfailed",
            explanation:
                "The order at BankID ran out: the app was not opened, is not on this device, the code was not scanned while it was fresh, or the user did not finish in time.",
            fix: """
                Begin anew. Where it always comes on phones, see how the page opens the BankID app: by its universal link or autostart token, by a tap of the user, and in the system's browser rather than an \
                embedded one.
                """
        ),
        Known(
            "certificateerr",
            explanation:
                "BankID ended the order over the user's BankID: it is blocked, has run out, or the security code was wrong too often.",
            fix:
                "Have the user look at it in the BankID app, or order a new one from the bank. With test users see that client and app are of the test environment."
        ),
    ]

    private static let ofCognito: [Known] = [
        Known(
            "login pages unavailable",
            explanation:
                "Cognito has no sign-in page for this client: with managed login each client needs a branding style, and a client without an identity provider has nothing to show.",
            fix:
                "Create a style for the app client (Managed login, Styles), or set the domain's branding version back to the hosted UI; see that the client has at least one identity provider."
        ),
        Known(
            "client is not enabled for oauth2.0 flows",
            "client is not enabled for oauth 2.0 flows",
            explanation:
                "The app client is not set up for the pages of Cognito: no grant type is switched on for it.",
            fix:
                "Edit the app client's login pages: callback URL, identity providers, the grant Authorization code, and the scopes that are asked for."
        ),
        Known(
            "already found an entry for username",
            explanation:
                "The sign-up at an outside provider made two users of one: a trigger links accounts while Cognito creates the same user, so the first login fails and the next one goes well.",
            fix:
                "Begin the login once more when this comes back. In the trigger before sign-up link the outside user to an existing one by AdminLinkProviderForUser, and do not create that one there with the same name."
        ),
        Known(
            "attributes required: [",
            explanation:
                "The user pool requires an attribute that the outside provider did not send, or that is not mapped.",
            fix:
                "Map it in the identity provider's attribute mapping, and ask for the scope that brings it (email, profile). Which attributes are required cannot be changed in a user pool that exists."
        ),
        Known(
            "error in saml response processing",
            explanation:
                "The SAML provider behind Cognito answered, and Cognito did not take it: the text behind names what failed.",
            fix:
                "Compare audience (urn:amazon:cognito:sp: and the pool's id), the assertion consumer URL (/saml2/idpresponse), certificate and clocks; map the attributes that the pool requires."
        ),
        Known(
            ": attribute cannot be updated",
            explanation:
                "At each login Cognito writes what the outside provider sends into the user's attributes, and this one cannot be written.",
            fix:
                "Map attributes alone that are mutable in the user pool, and that the app client may write (attribute permissions)."
        ),
        Known(
            "presignup failed with error",
            "preauthentication failed with error",
            "postauthentication failed with error",
            "postconfirmation failed with error",
            "pretokengeneration failed with error",
            "usermigration failed with error",
            explanation:
                "A Lambda trigger of the user pool, which the text names, said no or broke down; what stands behind the name is what it threw. The app's request and the sign-in itself were in order.",
            fix: """
                Look into the trigger's log (CloudWatch) for this time. Where it turns users away on purpose, show them its words; a trigger has to return the event, and has five seconds for that.
                """
        ),
        Known(
            "unauthorized_client",
            of: .cognito,
            explanation:
                "The app client exists, and may not use the grant that it asks by: that is not switched on for it.",
            fix:
                "Edit the app client's login pages: switch Authorization code grant on (or Implicit grant for response_type=token), and have at least one identity provider selected."
        ),
        Known(
            "incorrect_device_code",
            of: .github,
            explanation:
                "GitHub does not know what was sent as device_code: it is none that it gave out to this client.",
            fix: """
                Send the device_code of the answer (forty hexadecimal digits), not the user_code that is shown to the user, by the client_id that asked for it. Begin anew once the user has confirmed and tokens \
                came: a code is good for one login.
                """
        ),
        Known(
            "invalid_request: service not allowed",
            explanation: """
                The service that was asked for is none that this client may use. At itsme it stands in the scope, as service:CODE.
                """,
            fix: """
                Compare the code with the one that the provider gave for this very client_id in this environment. itsme shows it in its partner portal; its sandbox (e2e) and production (prd) are two environments.
                """
        ),
        Known(
            "unable to issue redirect for oauth 2.0 transaction",
            of: .auth0,
            explanation: """
                Auth0 has no address for its answer: mostly redirect_uri was missing in the authorization request, which its sign-in pages do not mind. The second version of its libraries for browsers takes \
                redirect_uri, audience and scope in authorizationParams alone, and leaves out what is passed as before.
                """,
            fix: """
                Send redirect_uri with the authorization request: authorizationParams: { redirect_uri } for createAuth0Client, Auth0Provider and loginWithRedirect. Where the request of this login has one, begin anew \
                at the app: what Auth0 kept of the login may be gone.
                """
        ),
        Known(
            "invalid origin uri",
            explanation: """
                FusionAuth looked at the Origin (or Referer) of the request and does not have it among those from which this application's logins may come.
                """,
            fix: """
                Add the origin, with scheme and port, to Authorized request origin URLs of the application (OAuth), or empty that list, which allows all. Behind a sign-in at another provider it may be that one's origin, \
                which the browser sends as Referer: the list has to have it, too.
                """
        ),
    ]
}
