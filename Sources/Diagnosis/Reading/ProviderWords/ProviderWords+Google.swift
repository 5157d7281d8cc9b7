import Flows

extension ProviderWords {
    /// Those of Google, of its pages and its token endpoint.
    static let ofGoogle: [Known] = [
        Known(
            "comply with google's oauth 2.0 policy",
            "comply with google’s oauth 2.0 policy",
            explanation: """
                Google refuses the request by its rules for safe apps: a redirect URI that this type of client may not have (plain http, an address of a private network, a scheme of the app's own for a web \
                client, or for one of Android that has it not switched on; urn:ietf:wg:oauth:2.0:oob).
                """,
            fix: """
                Read error details on Google's page, which names the parameter. Take a client of the type of the app (iOS, Android, Desktop, Web), https for websites, and the system's browser (AppAuth, or \
                Google's own library) on devices.
                """
        ),
        Known(
            "include the latest security features",
            explanation: """
                Google says so to programs that ask in a way which it has ended, for a code that their user is to copy (urn:ietf:wg:oauth:2.0:oob) before all. Old versions of programs do that, gcloud among \
                them.
                """,
            fix: """
                Update the program (gcloud components update). One of your own takes its answer at http://127.0.0.1 and a port of its choice, with a client of the type desktop app; without a browser on the \
                machine use the device grant, or sign in on another one.
                """
        ),
        Known(
            "origin_mismatch",
            explanation:
                "The page that began the login runs at an origin that the client's registration does not list.",
            fix:
                "Add scheme, host and port of the page, without a path, to Authorized JavaScript origins of the client; it may take some minutes until it counts."
        ),
        Known(
            "device_id and device_name are required",
            explanation:
                "The redirect URI is an address of a private network, which Google does not send users to without knowing the device.",
            fix: "Use localhost or 127.0.0.1 with a tunnel to the device, or a public host name with https."
        ),
        Known(
            "has not completed the google verification process",
            "developer hasn't given you access to this app",
            "developer hasn’t given you access to this app",
            explanation:
                "The app's consent screen at Google is in testing, and the user is none of its test users; or it asks for scopes that Google has not verified it for.",
            fix:
                "Add the user to the test users (Google Auth Platform, Audience), or publish the app, with verification where its scopes are sensitive."
        ),
        Known(
            "admin_policy_enforced",
            explanation:
                "The administrator of the user's Google Workspace does not let this app have the scopes that it asks for.",
            fix:
                "Have the administrator trust the client_id (Admin console, Security, API controls, App access control), or ask for fewer scopes."
        ),
        Known(
            "org_internal",
            explanation:
                "The app is for users of one Google Workspace alone (Internal), and this user is of another, or has a personal account.",
            fix: "Sign in with an account of that organization, or set the app's audience to External."
        ),
        Known(
            "rate_limit_exceeded",
            "reached its sign-in rate limit",
            of: .google,
            explanation:
                "Google has let as many new users into this app as it may have: an app that is not verified may have a hundred in all, and each app a number of new ones a day.",
            fix: """
                Have the app verified (Google Auth Platform, Verification Center), ask for a higher token grant rate there, or let it ask for scopes that are not sensitive; wait where it is the daily limit.
                """
        ),
        Known(
            "restricted_client",
            "unregistered scope(s) in the request",
            "not yet configured to make oauth requests",
            of: .google,
            explanation:
                "The project of this client has no consent screen that is complete, or not for the scopes that are asked for.",
            fix:
                "Complete branding and audience in the project of this client (Google Auth Platform), and list the scopes under Data Access; see that client_id is of that project."
        ),
        Known(
            "parameter not allowed for this message type",
            explanation: """
                Google takes no parameter that it does not know, nor one that belongs to another kind of request: the one that it names does not go together with response_type and scope of this one.
                """,
            fix: """
                Leave the named parameter out, or change the request so that it fits: code_challenge goes with response_type=code alone, nonce with the scope openid, access_type not with response_type=token. Parameters of one's own \
                belong into state.
                """
        ),
        Known(
            "invalid_rapt",
            "rapt_required",
            "reauth related error",
            explanation:
                "The user's organization has a limit for sessions at Google Cloud, and this one is over: no refresh helps until the user signs in again.",
            fix: """
                Begin a new login. Programs that nobody sits at take a service account; or the administrator exempts the app (Admin console, Security, Google Cloud session control, Exempt trusted apps).
                """
        ),
        Known(
            "malformed auth code",
            explanation:
                "The code that came to Google is not one as it gives them out: it was encoded once too often or once too seldom, cut, or is another value.",
            fix: """
                Send the code as the redirect's query has it decoded: 4/0A…, which a form writes as 4%2F0A…, once. With a library that encodes by itself hand over the decoded one.
                """
        ),
        Known(
            "unauthorized_client: unauthorized",
            of: .google,
            explanation:
                "Google knows the client that asks for tokens, and it may not do so: the code or refresh token is one of another client, or the client is of another type or project.",
            fix: """
                Exchange by the very client_id that the login was begun with, and with its secret where it has one. A server that exchanges the code of an app needs the one that Google's library gave out for the server's \
                client_id (serverClientId), and an empty redirect_uri.
                """
        ),
    ]
}
