import Flows

extension ProviderWords {
    /// Of Singpass by the numbers on its page, of MyInfo by its answer to a page's script.
    static let ofSingpass: [Known] = [
        Known(
            "px-e0013",
            explanation:
                "Singpass does not take the request_uri: it is missing, has run out, was used before, or belongs to another client_id than the one beside it.",
            fix: """
                Push a new request for each login and send the browser on at once, with the request_uri of that very answer and the client_id that it was pushed with. A page that is loaded again \
                needs a new one, too.
                """
        ),
        Known(
            "px-e0101",
            explanation:
                "Singpass could not use the key set of the app: it did not get it at the registered URL, or what it got is no set of public keys with all that is needed.",
            fix: """
                Ask for the app's JWKS URL (Singpass Developer Portal) from outside of your network: it has to answer fast with {"keys":[…]}, as JSON, over public https. In it have an EC key for signatures (use sig, ES256) \
                and one for encryption (use enc), each with a kid of its own and without d, the private half.
                """
        ),
        Known(
            "px-e1000",
            explanation:
                "Singpass finds the parameters of the authorization request invalid: mostly one that has to be there is not, client_id or request_uri.",
            fix:
                "Send client_id and request_uri alone in the browser's request, and all else in the pushed one; look at both as they stand in the capture."
        ),
        Known(
            "px-e0008",
            explanation:
                "Singpass refuses a scope: one that is asked for is not among those of the app.",
            fix:
                "Compare scope with what is approved for the app in the Singpass Developer Portal, staging and production apart; openid has to be among it."
        ),
        Known(
            "not logged in, or your previous session has expired",
            explanation:
                "MyInfo does not know the user's session any more: its page stood open for longer than two minutes, or the browser did not bring the cookie of the login.",
            fix:
                "Begin the login anew. Where it comes at once, see what loses the cookie: an in-app browser, a frame, or a redirect that begins in one browser and goes on in another."
        ),
        Known(
            "client_side_error: this is an invalid request",
            explanation: """
                Singpass refuses the request and does not say what is wrong with it: it has this one answer for a parameter that is missing, of another form or not registered, and for a client that it does not let in.
                """,
            fix: """
                Compare the request with the app in the Singpass Developer Portal (client_id, redirect URL, scopes, JWKS or its URL, staging and production apart), and with what its specification asks for: since FAPI 2.0 a \
                pushed request with PKCE (S256), DPoP, state and nonce. Give id and trace_id of the answer to Singpass's support.
                """
        ),
        Known(
            "authentication_context_type",
            of: .singpass,
            explanation:
                "Singpass wants to know in a login for what kind of transaction it is, and takes a few fixed names for that; a request for Myinfo has none.",
            fix: """
                Push authentication_context_type with one of the values of Singpass's specification (APP_AUTHENTICATION_DEFAULT where nothing else fits) in requests of Login apps, with authentication_context_message where \
                it helps the user; leave both out in those of Myinfo apps.
                """
        ),
        Known(
            "encryption key",
            of: .singpass,
            explanation:
                "Singpass encrypts what it hands on of the user, and found no key for that among those of the app.",
            fix: """
                Publish an EC key with use enc, alg (ECDH-ES+A256KW and its like), crv P-256 and a kid in the app's JWKS beside the one for signatures, and see that the Developer Portal has that JWKS or its URL.
                """
        ),
        Known(
            "purpose_id",
            of: .myinfo,
            explanation:
                "MyInfo does not take the purpose_id: it is none of those that were approved for this client.",
            fix:
                "Send the purpose_id that stands beside the approved purpose of this app, in test and production apart; on the test environment of the sample app it is demonstration."
        ),
        Known(
            "not registered with myinfo",
            "invalid app id",
            of: .myinfo,
            explanation:
                "MyInfo does not know the client_id (app id) at this environment, or the app is not live there yet.",
            fix: """
                Compare client_id and host: test.api.myinfo.gov.sg and api.myinfo.gov.sg have apps of their own. See in the developer portal that the app is live, and that it is one for the version of MyInfo whose path is asked \
                (/com/v3, /com/v4).
                """
        ),
        Known(
            "invalid timestamp",
            "timestamp is",
            "timestamp has",
            "the timestamp",
            of: .myinfo,
            explanation:
                "MyInfo compares the time of the signed request with its own clock, and they are too far apart.",
            fix:
                "Set the server's clock by NTP, and write the time in the unit that is asked for (v3: milliseconds in timestamp; v4: seconds in iat and exp)."
        ),
        Known(
            "deemed to be repeated",
            "nonce repeated",
            of: .myinfo,
            explanation: "MyInfo has seen the nonce (jti) of the signed request before.",
            fix:
                "Make a new random nonce (v3: nonce in the Authorization header; v4: jti of the assertion and the DPoP proof) for each request, for repetitions, too."
        ),
        Known(
            "authcode error",
            "same authcode",
            of: .myinfo,
            explanation:
                "MyInfo does not take the code: it was used before, has run out, or is of another client.",
            fix:
                "Exchange each code once and at once, on the server alone; a page that is loaded again needs a new login."
        ),
        Known(
            "requested attributes",
            "attributes requested",
            "attributes consented",
            "invalid attributes",
            of: .myinfo,
            explanation:
                "The request asks for data of the user that the user was not asked for, or that the app is not approved for.",
            fix: """
                Send the same list of attributes (scope in v4, attributes in v3) to the authorization endpoint, the token endpoint and the person endpoint, each of them approved for this app; sub-attributes by their full name \
                (child records: childrenbirthrecords.name).
                """
        ),
        Known(
            "uin/fin does not match",
            "uinfin does not match",
            of: .myinfo,
            explanation:
                "The address of the person endpoint names another person than the one that signed in.",
            fix:
                "Take the last part of the path out of the access token of this very login: its claim sub, whole and unchanged."
        ),
        Known(
            "does not exist in myinfo",
            of: .myinfo,
            explanation:
                "MyInfo has no data of this person, as of many who are no citizens or residents; the login itself went well.",
            fix:
                "Let the user enter the data by hand then. In test take one of the test persons of the environment that is asked."
        ),
    ]
}
