extension ProviderWords {
    /// Those of states' and banks' services for identities besides Singpass and FranceConnect: brokers of MitID, Vipps MobilePay, GOV.UK
    /// One Login, Australia's Consumer Data Right.
    static let ofIdentity: [Known] = [
        Known(
            "mitid_nonce_cookie_missing",
            "mitid_nonce_cookie_malformed",
            explanation: """
                The broker's own cookie of this login with MitID did not come back to it: the login went on in another browser than it began in, was left for too long, or the browser keeps such cookies back.
                """,
            fix: """
                Open the login in the system's browser (ASWebAuthenticationSession, a Custom Tab) or in the window itself, not in a web view or a frame, and let the MitID app lead back into that very browser. Begin \
                the login anew then; a page of it that was saved or opened in another tab has no cookie.
                """
        ),
        Known(
            "outdated_app_version",
            explanation:
                "The user's Vipps or MobilePay app is too old for this login. The request was in order.",
            fix: "Tell the user to update the app, and to begin anew afterwards."
        ),
        Known(
            "wrong_challenge",
            explanation: """
                Vipps MobilePay showed numbers to the user, and the one that was chosen is not the one of the page: mostly a slip, else a login that somebody else began.
                """,
            fix: "Let the user begin anew. Nothing is to be changed at the app or at the provider."
        ),
        Known(
            "request vtr not valid",
            explanation: """
                GOV.UK One Login does not take the levels that vtr asks for together: an identity (P2) needs a second factor beside it.
                """,
            fix: """
                Send vtr as a JSON list of strings, ["Cl.Cm.P2"] where the user is to be identified and ["Cl.Cm"] where a sign-in is enough, and have identity enabled for the client where it is asked for.
                """
        ),
        Known(
            "software product status is invalid",
            explanation: """
                The data holder's copy of the CDR Register has this software product as one that is not active. Client and request may be in order.
                """,
            fix: """
                Look the software product and its data recipient up in the register: both have to be ACTIVE. A change takes some minutes until a data holder has it; where it stays, ask the holder to fetch the register anew.
                """
        ),
    ]
}
