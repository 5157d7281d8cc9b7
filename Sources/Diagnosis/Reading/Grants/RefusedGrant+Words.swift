/// What is said of a refused grant.
extension RefusedGrant {
    static let password = Violation.Words(
        title: "The provider rejected the user's name or password",
        explanation: """
            The request brought a user's name and password (RFC 6749, section 4.3), and the provider does not know the two together: one of them is \
            wrong, or the account is locked, disabled or has to confirm something first.
            """,
        fix: """
            Sign in with the same name and password on the provider's own page, which says more. Accounts with a second factor, or of another \
            directory behind the provider, cannot use this grant at all; the code flow takes its place.
            """
    )

    /// Keycloak's words, in lower case.
    static let unfinished = Violation.Words(
        title: "The user has something left to do before the provider lets them in",
        explanation: """
            The name and password may be right: the provider says that the account is not set up yet. Something is asked of this user that \
            takes a page, which this grant has none of: a new password, an address to confirm, terms to accept, a second factor to set up.
            """,
        fix: """
            Look at the user's required actions at the provider (Keycloak: Users, Details; a temporary password is one, and so are profile \
            fields that became required), and have them done or taken away. The code flow shows the user the page for them.
            """
    )

    static let assertion = Violation.Words(
        title: "The provider rejected the assertion",
        explanation: """
            The request brought a signed assertion in place of a code (RFC 7523, section 2.1), and the provider does not accept it: its issuer, \
            subject, audience, time or key is not what it expects.
            """,
        fix: """
            Decode the assertion (authreel jwt): aud has to be what the provider asks for, mostly its token endpoint or issuer; exp has to be near and \
            ahead by the provider's clock; iss and sub have to be known there, and the key registered for them.
            """
    )

    static let onBehalf = Violation.Words(
        title: "The provider rejected the token that the API showed on behalf of its user",
        explanation: """
            The API brought the access token that it was called with, to get one for another API in the user's name, and the provider does not accept it: it \
            is not for this API, has run out, or the user would have to sign in again for what is asked for.
            """,
        fix: """
            See that aud of the assertion is this API itself (its client_id or application id URI, not the API that it wants to call), that the token is \
            an access token and still good, and that the user or an administrator has consented to the next API.
            """
    )

    static let exchangeForOthers = Violation.Words(
        title: "The provider says that the token to be exchanged is for somebody else",
        explanation: """
            The request brought a token to exchange for another one (RFC 8693, section 2.1). The provider looked at whom that is for, and says that it is not who has to take it here.
            """,
        fix: """
            Have the subject_token issued for the audience that the provider's settings of the exchange name: in a GitHub job the one that is asked for with \
            the token, at Keycloak the client that exchanges it (an audience mapper of its scope).
            """
    )

    static let exchange = Violation.Words(
        title: "The provider rejected the token that was to be exchanged",
        explanation: """
            The request brought a token to exchange for another one (RFC 8693, section 2.1), and the provider does not accept it: it has run out or was \
            revoked, is of another kind than subject_token_type says, or may not be exchanged by this client.
            """,
        fix: """
            See that the subject_token is one of this provider and still good, that subject_token_type names its kind, and that the client is allowed to \
            exchange it for what it asks for.
            """
    )

    static let preAuthorized = Violation.Words(
        title: "The issuer rejected the pre-authorized code, or the code that goes with it",
        explanation: """
            The wallet brought the pre-authorized code of a credential offer, and the issuer does not accept it: the transaction code (tx_code) beside it is wrong \
            or missing, or the offer was used before, has run out or was taken back.
            """,
        fix: """
            Where the offer has a tx_code, ask the user for what the issuer sent on another way, and send it as it is, zeros in front included. An offer is good for \
            one exchange: keep its tokens, and have the issuer make a new offer once this one was used or has run out.
            """
    )

    static let ownName = Violation.Words(
        title: "The provider gives this client no tokens in its own name",
        explanation: """
            The request asks for a token of the client's own (client_credentials, RFC 6749, section 4.4): it has no code and no refresh token that could be wrong. What the provider has \
            registered of the client does not make this grant whole, here or for what is asked for; a few providers say so of a wrong secret too.
            """,
        fix: """
            Look at the client at the provider: that the grant is switched on for it, that it has a service account or user to act as, and the scopes or audience that it asks for; and that \
            the request goes to the tenant's own token endpoint.
            """
    )

    static let expiredDeviceCode = Violation.Words(
        title: "The provider says that the device code has run out",
        explanation: """
            The provider refused the device code as one that has run out (RFC 8628, section 3.5): the user had not entered the user code and agreed by then. The capture has no device \
            authorization that would show its time to be over.
            """,
        fix: """
            Ask for a new device code and show it, without the user having to restart anything. Where people need longer, raise the lifetime of device codes at the provider, and offer \
            verification_uri_complete as a QR code.
            """
    )

    static let withoutCode = Violation.Words(
        title: "The app asked for tokens without a code",
        explanation: """
            The code of the token request is empty, missing or a word for nothing (undefined, null), so there was nothing for the provider to accept. The app went on without the answer of \
            the authorization endpoint, or read the code under another name.
            """,
        fix: """
            Have the callback take `code` out of the redirect's query (or form, with response_mode=form_post), and stop where there is none: then \
            `error` says why.
            """
    )

    static let otherCode = Violation.Words(
        title: "The code that was sent is not the one that was delivered",
        explanation: """
            The provider sent a code to the redirect URI, and the token request brought another one, which it does not know. The two have nothing in common, \
            so it was not spoilt on the way.
            """,
        fix: """
            See where the app takes the code from: a value that was typed in or pasted, one that was kept from an earlier login, or a parameter of another \
            name.
            """
    )

    static let replacedCode = Violation.Words(
        title: "The callback brought another code than the provider's redirect",
        explanation: """
            The provider's redirect carried one code, and the request to the redirect URI, with the same state, another one, which the app exchanged and the \
            provider does not know. It was put there between the two.
            """,
        fix: """
            Look at what stands between the redirect and the app: what opens or copies the address, an extension, a proxy that rewrites queries, or a test that fills in \
            a code of its own. Where nobody meant it, take it for a code that was injected (RFC 9700, section 4.5): PKCE and the nonce keep such a one from being used.
            """
    )

    static let lostAnswer = Violation.Words(
        title: "The code was sent again after the answer to it was lost",
        explanation: """
            The code was sent, the answer to it did not arrive, and the client sent the code again. A provider takes a code the first time that it comes: it is good \
            for one request, whether its answer arrives or not.
            """,
        fix: """
            Begin a new login when the answer to a code is lost; it is silent mostly, for the provider still knows the user. Then look for what lost the \
            answer: a network that changed, a time limit of the client or a proxy that is too short.
            """
    )

    static let expiredCode = Violation.Words(
        title: "The provider says that the code has run out",
        explanation: """
            The provider refused the code as one that has run out. Where its delivery is in the capture, the note says how old it was: if that is a few seconds, the code's \
            lifetime at the provider is set too short, or the servers that gave it out and took it back differ in their clocks.
            """,
        fix: """
            Exchange the code at once. Where the app did, raise the lifetime of authorization codes at the provider (a minute is usual, RFC 6749 allows \
            ten) and compare the clocks of its servers.
            """
    )

    static let expiredRefresh = Violation.Words(
        title: "The provider says that the refresh token has run out",
        explanation: """
            The provider refused the refresh token as one that has run out: it has a lifetime of its own, or ended with the user's session.
            """,
        fix: """
            Have the app begin a new login when a refresh is refused. Where it comes too early, look at the provider's lifetimes of refresh tokens and \
            sessions, and whether offline_access is asked for.
            """
    )

    static let revokedRefresh = Violation.Words(
        title: "The app refreshed after a refresh token of this grant had been revoked",
        explanation: """
            The refresh token, or the newer one of the same grant, was given back at the revocation endpoint, and the provider accepted that (RFC 7009, section \
            2.1). No refresh of this grant worked between that and this one.
            """,
        fix: """
            Have whatever revokes the tokens delete them from the app's storage as well, for all its processes and windows, and begin a new login where a \
            session is wanted again. Where nobody meant to sign the user out, look for what sent the revocation.
            """
    )

    static let alteredRefresh = Violation.Words(
        title: "The refresh token was changed between its issue and the refresh",
        explanation: """
            The refresh carries another string than the provider issued; the one becomes the other by the step that the evidence names. So the provider does \
            not know it.
            """,
        fix: """
            Store the refresh token as it came, all its characters (look at column widths and trimming), and let the HTTP library encode the form once.
            """
    )

    static let otherToken = Violation.Words(
        title: "Another token was sent in the refresh token's place",
        explanation: """
            What the refresh sent as refresh_token is a token of another kind, which the provider issued beside it and cannot refresh by.
            """,
        fix: """
            Take `refresh_token` out of the token response, and keep it apart from the access token and the ID token. Where there is none, the login has \
            to ask for it (offline_access, mostly).
            """
    )

    static let interaction = Violation.Words(
        title: "The provider needs its user before it refreshes",
        explanation: """
            The provider refused the refresh because somebody has to do something first that takes a page: a second factor, a consent, a condition of a policy. \
            No setting is at fault by that; it is how the provider asks for an interactive login.
            """,
        fix: """
            Start an interactive login when this answer comes, for the same scopes (acquireTokenPopup or acquireTokenRedirect in MSAL), and pass `claims` on to it where \
            the answer has one. Where it comes back all the same, the text names what the user or an administrator has to settle.
            """
    )

    /// Of a refresh for whose refusal all reasons are open.
    static let refresh = Violation.Words(
        title: "The provider rejected the refresh token",
        explanation: """
            The provider no longer takes this refresh token: it has run out, by its age or for want of use, its session was ended, it was \
            revoked, or a later one has taken its place.
            """,
        fix: """
            Take invalid_grant at a refresh as the end of the session: drop the tokens and begin a new login, silently first. If it comes too \
            early, see that the app stores the refresh token of each answer, and look at the provider for the lifetimes of refresh tokens, \
            idle and in all.
            """
    )

    static let usedRefresh = Violation.Words(
        title: "The provider says that the refresh token was used before",
        explanation: """
            The provider takes each refresh token once and says that this one was used already. In this capture it was not, so somebody else had it: \
            another process, instance or device of the app that shares its storage, or a copy from before.
            """,
        fix: """
            Keep one owner of the refresh token: one process at a time refreshes and stores the new token before anybody uses it. Where nothing of the \
            app's did, the token was stolen; the provider's log says from where it was used.
            """
    )
}
