extension ProviderWords {
    static let ofSalesforce: [Known] = [
        Known(
            "request not supported on this domain",
            explanation:
                "Salesforce gives tokens in a client's own name at the org's My Domain alone, and the request went to login.salesforce.com or test.salesforce.com.",
            fix:
                "Send it to https://NAME.my.salesforce.com/services/oauth2/token (a sandbox: NAME--SANDBOX.sandbox.my.salesforce.com), and call the API at the instance_url of the answer."
        ),
        Known(
            "no client credentials user enabled",
            explanation:
                "The app at Salesforce has no user in whose name it acts: the client credentials flow runs as one user of the org, and none is chosen.",
            fix:
                "Choose a user under Run As in the app's policies (Client Credentials Flow), one with API access; the box in the app's own settings alone is not enough."
        ),
        Known(
            "no valid scopes defined",
            explanation: "The app at Salesforce has no OAuth scope that this flow can give.",
            fix:
                "Select scopes in the app's OAuth settings (api, at least, for a client in its own name), and wait the minutes that Salesforce takes to apply them."
        ),
        Known(
            "user hasn't approved this consumer",
            "user is not admin approved to access this app",
            explanation:
                "Salesforce gives this user no token without a page: the user has not approved the app, and no administrator has for them.",
            fix: """
                Set Permitted Users of the app's policies to those that an administrator has pre-authorized, and give the user's profile or a permission set access to the app; or have the user \
                approve it once in a browser, with refresh_token among the scopes.
                """
        ),
        Known(
            "external client app is not installed in this org",
            "app must be installed into org",
            "cross org oauth flows are not supported",
            "cross-org oauth flows are not supported",
            explanation:
                "The app is one of another Salesforce org, and this org, where the user signs in, has not installed it.",
            fix: """
                Have an administrator install the app (its package, or Install beside it under Connected Apps OAuth Usage), or begin the login at the org in which the app is defined; a sandbox has a \
                copy of its own only of what was there when it was last refreshed.
                """
        ),
        Known(
            "ip restricted",
            explanation:
                "The provider knows the request's grant and does not take it from this address: the app or the user keeps to ranges of IP addresses.",
            fix:
                "Add the server's outgoing address to the trusted ranges. Salesforce: those of the user's profile, or relax IP Restrictions in the app's OAuth policies."
        ),
        Known(
            "inactive_org",
            explanation: "The Salesforce org is locked, closed or suspended, or its trial has ended.",
            fix:
                "Sign in to the org by a browser and see what it says, or take the instance and org that are in use."
        ),
    ]
}
