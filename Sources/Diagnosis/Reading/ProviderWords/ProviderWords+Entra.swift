extension ProviderWords {
    /// Entra's, by the digits of its numbers (AADSTS50146).
    static let entra: [Known] = ofTenants + ofUsers + ofApps + ofRequests

    private static let ofTenants: [Known] = [
        Known(
            "90002",
            explanation:
                "There is no tenant of the name or id that stands in the endpoint's path: it is misspelled, was deleted, or is one of another cloud.",
            fix: """
                Take the tenant id from the tenant's overview, or one of its verified domains, for all endpoints. Tenants of national clouds have hosts of their own \
                (login.microsoftonline.us, login.partner.microsoftonline.cn).
                """
        ),
        Known(
            "900023",
            explanation: """
                What stands in the tenant's place in the endpoint's path is neither an id nor a domain, and none of common, organizations and consumers: a setting that is empty, or a \
                value that was copied from an example.
                """,
            fix: "Look at the address that was asked, and put the tenant id where the odd part stands."
        ),
        Known(
            "50059",
            "50128",
            explanation: """
                Nothing in the request says which tenant is meant: the endpoint is the one for all of them (common), and neither the user's name nor the client tells.
                """,
            fix: """
                Ask at the tenant's own endpoint, with its id in the path. A client that signs in as itself (client_credentials) has to; a name without a domain is not enough either.
                """
        ),
        Known(
            "7000229",
            explanation:
                "The app is registered, but the tenant whose endpoint was asked has no service principal of it: nobody there has let it in yet.",
            fix: """
                Have an administrator of that tenant consent to the app (the adminconsent endpoint), or create its service principal there; or ask at the tenant in which the app is at home.
                """
        ),
        Known(
            "500011",
            "650057",
            explanation: """
                The scope or resource names an API that this tenant does not have, or that is not among the API permissions of the app's registration.
                """,
            fix: """
                Compare what stands before the last slash of the scope with the API's application id URI, letter by letter; add the API under API permissions, and have it in this \
                tenant (by consent, where it is another organization's).
                """
        ),
        Known(
            "650051",
            explanation:
                "The user's organization has no place for the app: its directory is one that nobody administers (made by a sign-up with an address of its domain), or it has a service principal of the same name.",
            fix: """
                In a directory without an administrator somebody has to take it over first, by proof of the domain (DNS), and then consent. Elsewhere see under Enterprise applications what has the app's \
                name or address already.
                """
        ),
        Known(
            "650052",
            explanation:
                "The app asks for a service to which the user's organization has not subscribed, or whose service principal is not in its tenant.",
            fix: """
                Have the organization subscribe to the service, or its administrator create the service principal of the API (az ad sp create --id …); or do not ask for it.
                """
        ),
    ]

    private static let ofUsers: [Known] = [
        Known(
            "50020",
            "50177",
            "90072",
            explanation: """
                The user has signed in with an account of another directory, or a personal one, and the tenant at which the app began the login does not have it as a guest.
                """,
            fix: """
                Sign out and take an account of this tenant, or have the user invited as a guest. An app for users of all organizations begins at organizations or common, with a \
                registration for accounts in any of them.
                """
        ),
        Known(
            "50034",
            "51004",
            explanation:
                "The directory has no user of this name: it is misspelled, is an alias that nobody signs in by, or belongs to another tenant.",
            fix:
                "Take the user principal name as it stands in this tenant. In Azure AD B2C the user has to sign up first."
        ),
        Known(
            "50053",
            explanation:
                "Entra lets nobody in by this account for a while: too many wrong passwords, or an address from which attacks come.",
            fix:
                "Wait some minutes, and do not try on: each try prolongs it. The sign-in log of the tenant says which of the two it was."
        ),
        Known(
            "50055",
            explanation:
                "The password of this user has run out, and has to be replaced before anything is given out.",
            fix:
                "Sign in on a page of Entra's, which asks for a new one; a request with name and password (password grant) cannot."
        ),
        Known(
            "50126",
            explanation:
                "Name and password do not fit together, or the account has no password at Entra, as one whose organization keeps it elsewhere.",
            fix:
                "Sign in with the same on a page of Entra's. Users whose domain is federated cannot use the password grant."
        ),
        Known(
            "50105",
            explanation:
                "The app is set to let in users that are assigned to it alone, and this user is not, nor directly in a group that is.",
            fix: """
                At the enterprise application (Users and groups) assign the user or a group of theirs, where groups in groups do not count; or switch Assignment required off.
                """
        ),
        Known(
            "65001",
            "90094",
            explanation: """
                Nobody has consented yet to what the app asks for: the user was not asked (a silent or back-channel request), or may not decide, so that an administrator has to.
                """,
            fix: """
                Begin an interactive login with the same scopes, or have an administrator consent to them (API permissions, Grant admin consent). For a request on behalf of the \
                user the API between needs the consent, too: ask for its .default, and name the app among its known client applications.
                """
        ),
        Known(
            "50072",
            "50074",
            "50076",
            "50079",
            explanation:
                "A policy of the tenant wants a second factor of this user, which takes a page; by a silent request or the password grant it cannot be given.",
            fix:
                "Begin an interactive login, with the claims of the answer where it has some. A second factor cannot be had by the password grant at all."
        ),
        Known(
            "53000",
            "53001",
            "53002",
            "53003",
            "50097",
            "50131",
            "50005",
            "530003",
            "530021",
            "530033",
            explanation: """
                A Conditional Access policy of the tenant keeps this sign-in out: for the device (not managed, not compliant, an app that is not approved), the place, or the risk.
                """,
            fix: """
                Find the sign-in in the tenant's log by the correlation id: its tab Conditional Access names the policy. The device often tells who it is in the system's browser or by \
                a broker alone (Authenticator, Company Portal), and not in an embedded one.
                """
        ),
        Known(
            "50057",
            explanation: "The account of this user is disabled in the directory.",
            fix: "Have an administrator enable it, or sign in as somebody else."
        ),
    ]

    private static let ofApps: [Known] = [
        Known(
            "50146",
            explanation: """
                The tokens are to carry claims of a claims mapping policy, and the app that they are for neither accepts mapped claims nor has a signing key of its own.
                """,
            fix: """
                Set acceptMappedClaims to true in the manifest of that app, where its users are of one tenant; or give its service principal a signing key of its own, whose keys are then read \
                from the metadata with ?appid= and the client_id.
                """
        ),
        Known(
            "650056",
            explanation:
                "The registration lacks what the login asks for: no permission of the API that is asked for, no consent for it, or another client's id.",
            fix:
                "Add at least User.Read of Microsoft Graph under API permissions, have it consented to, and compare the client_id and the tenant with the registration."
        ),
        Known(
            "7000218",
            explanation: """
                The client showed no secret, and its registration wants one: that of a redirect URI of the platform Web always does, and so does a client that may not use public flows.
                """,
            fix: """
                For an app on a device register the redirect URI under Mobile and desktop applications, and allow public client flows (device code, password); for one in a browser under \
                Single-page application. A server sends client_secret or an assertion.
                """
        ),
        Known(
            "700027",
            explanation:
                "The client assertion is signed with a certificate or key that the registration does not have: an old one, another app's, or one whose thumbprint is sent wrongly.",
            fix:
                "Compare x5t (or x5t#S256, kid) in the assertion's header with the thumbprints under Certificates & secrets, and upload the certificate that signs."
        ),
        Known(
            "50013",
            explanation: """
                The token that was brought as an assertion could not be checked: it is none that Entra issued to this very API (one for Microsoft Graph is not), or its signature is broken.
                """,
            fix:
                "Bring the access token that the API was called with, whole, and whose aud is the API itself; have the app ask for a scope of the API."
        ),
        Known(
            "500133",
            explanation:
                "The token that was brought as an assertion has run out, or does not hold yet by Entra's clock.",
            fix:
                "Exchange it while it is fresh: have the app get a new token for the API first, and compare the API's clock."
        ),
        Known(
            "500014",
            "7000112",
            explanation:
                "The app, or the API that it asks for, is registered, and is switched off in this tenant, by an administrator or because a subscription has ended.",
            fix:
                "Have an administrator of the tenant look at it under Enterprise applications (Properties, Enabled for users to sign in), and at the licence that it belongs to."
        ),
        Known(
            "90009",
            explanation:
                "The app asks for a token for itself, and names itself by its application id URI; Entra takes its client_id alone for that.",
            fix: """
                Ask for the scope CLIENT_ID/.default, with the GUID in place of the URI (api://…); better, register the API by itself and ask for a scope of that.
                """
        ),
        Known(
            "240002",
            explanation:
                "An ID token was brought where an access token belongs: on behalf of a user an API may bring the access token alone that it was called with.",
            fix:
                "Have the app send the API an access token for it (a scope api://…/name), and not its ID token."
        ),
    ]

    private static let ofRequests: [Known] = [
        Known(
            "50196",
            explanation: """
                Entra got the same request from this client again and again within a short time, and stopped answering it: the login runs in a circle. The app does not know the session or \
                the tokens that it has just got, and asks anew each time.
                """,
            fix: """
                See what the app does with the last good answer: whether its session's cookie comes back, whether its cache of tokens is kept between requests, and whether its API refuses the \
                fresh token. Wait some minutes before the next try.
                """
        ),
        Known(
            "70011",
            explanation: """
                Entra cannot make sense of the scopes as they stand together: scopes of two APIs in one request for tokens, .default beside others, a scope without its API in front, or a \
                plain .default for a user's consent.
                """,
            fix: """
                Ask for the scopes of one API at a time, as its application id URI, a slash and the name; for client_credentials exactly that URI and /.default. openid, profile, email and \
                offline_access may stand beside them.
                """
        ),
        Known(
            "1002012",
            explanation:
                "A client that signs in as itself (client_credentials) asks for all that it was granted at an API, and cannot name a single scope of it.",
            fix: """
                Ask for the API's application id URI, a slash and .default (api://…/.default, https://graph.microsoft.com/.default); what it may do are the application permissions in its registration.
                """
        ),
        Known(
            "650053",
            explanation:
                "The API that is meant has no scope of this name; a scope without an API in front is one of Microsoft Graph.",
            fix:
                "Put the API's application id URI before the scope (api://…/name), and compare the name with what it exposes."
        ),
        Known(
            "900144",
            explanation:
                "Entra found a parameter missing that the text names: it was not sent, stands in the query instead of the body, or the body is no form.",
            fix:
                "Send it in a body of application/x-www-form-urlencoded. The endpoint without v2.0 wants resource, the other one scope."
        ),
        Known(
            "900561",
            explanation: """
                An address that takes POST alone was asked for by GET: a page that was reloaded or gone back to, a browser that was sent to the token endpoint, or a POST that a redirect made a \
                GET of.
                """,
            fix:
                "Send users to the authorization endpoint, and the token request by POST from the app's server; begin the login anew rather than going back."
        ),
        Known(
            "9002313",
            explanation:
                "Entra cannot read the request: a parameter is there twice, empty, encoded twice or cut, or a value has white space around it.",
            fix:
                "Look at each parameter as it stands in this entry; mostly it is the code, the assertion or the scope."
        ),
        Known(
            "7000014",
            explanation: """
                Entra does not know the device code, or not any more: it is none that it gave out at this endpoint, was cut, or has been used or forgotten.
                """,
            fix: """
                Send device_code as it came (not user_code) at the token endpoint of the same tenant or name (common, organizations, consumers) as the request for it, and poll no more once tokens came. Else begin with a \
                new code.
                """
        ),
    ]
}
