package import Captures
package import Flows
package import JOSE
package import OAuth

/// What a replay of a flow will do, in order; derived from the recording alone, and complete before anything
/// is sent.
package struct ReplayPlan: Sendable {
    package var flow: Flow
    package var steps: [PlannedStep]
    /// Exchanges of the flow that are not driven, with the reason.
    package var leftOut: [LeftOut]
    /// Whom the plan speaks to: origins as recorded, in the order in which they are met.
    package var origins: [String]
    /// What has to be known besides the capture, or may be given in place of what it holds.
    package var secrets: [SecretNeed]
    /// How each code challenge of the recording was made.
    package var challenges: [PlannedChallenge]
    /// The cookies that the browser had before the recording began, by origin.
    package var cookies: [EarlierCookie]
    /// What the requests hold, of this plan and of those that go on from it.
    package var sent: SentTexts
    /// Steps on pages of the recorded provider that another one, driven in its place, does not have.
    package var recordedPages: [PlannedStep] = []

    /// An exchange that is not driven.
    package struct LeftOut: Sendable, Hashable {
        /// Why a replay does not send it.
        package enum Reason: Sendable, Hashable {
            /// The app's own pages and servers, at this origin.
            case app(origin: String)
            /// Somebody else's, at this origin.
            case stranger(origin: String)
            /// A browser's question whether a page may call another origin.
            case preflight
            /// Style sheets, scripts, pictures.
            case asset
            /// What the provider tells the app's server (back-channel and front-channel logout).
            case sentByProvider
            /// The app's server sends it when the app itself is driven.
            case sentByApp
            /// A client was registered that takes no part in the flow.
            case unusedRegistration
            /// Not answered, and repeated later with an answer: a failure of the moment.
            case repeated
            /// Belongs to several flows, and was driven with one before.
            case drivenBefore
            /// The recorded provider's own page, where another provider is driven.
            case recordedPage
            /// The other provider's metadata names no endpoint for it.
            case noSuchEndpoint
            /// A tunnel, or a connection that carried nothing.
            case connection
        }

        package var exchange: Int
        package var reason: Reason
    }

    /// A cookie that was sent, and that nothing in the capture set.
    package struct EarlierCookie: Sendable, Hashable {
        package var url: RecordedURL
        /// As it was sent.
        package var cookie: HeaderFields.Field
    }
}

/// One request of a plan.
package struct PlannedStep: Sendable {
    /// How the driver comes to its request.
    package enum Action: Sendable, Hashable {
        /// Made of the recorded request, with the values of this run.
        case send
        /// The target of the redirect that the answer to this exchange was.
        case follow(Int)
        /// A form of the page that the answer to this exchange was.
        case submit(page: Int)
    }

    /// The recorded exchange.
    package var exchange: Int
    /// What its request is made of: the recorded one, unless something was changed in it.
    package var request: RecordedRequest
    /// Nil for what a page's script asks for.
    package var kind: StepKind?
    package var action: Action
    /// Sent by the user's browser, with its cookies; else by the app or its server.
    package var isBrowser: Bool
    /// Whether the answer is shown: what comes next is looked for in it.
    package var isNavigation: Bool
    package var parameters: [PlannedParameter]
    /// How long the recording waited before, where that may be why the request was refused.
    package var wait: Duration?
    /// Changes something at a resource: nobody knows what.
    package var hasSideEffect: Bool
}

extension PlannedStep {
    /// What a client asks with for what a user decides on another device (RFC 8628, section 3.4; OpenID Connect CIBA, section 10.1).
    static let pollNames: Set<String> = ["device_code", "auth_req_id"]

    /// Whether what the recorded request carried is not in the capture, so that nothing is sent in its place: some browsers' HAR files have
    /// no forms.
    package var lacksBody: Bool {
        if case .follow = action { return false }
        return request.hasLostBody ?? (takesClientAuthentication && request.url.query == nil)
    }

    /// Whether the request goes to an endpoint at which clients prove who they are (RFC 6749, section 2.3).
    var takesClientAuthentication: Bool {
        switch kind {
        case .tokenRequest, .refreshRequest, .revocationRequest, .introspectionRequest,
            .pushedAuthorizationRequest,
            .deviceAuthorizationRequest, .backchannelAuthenticationRequest:
            true
        default: false
        }
    }
}

/// A value of a request, with where it comes from in a new run.
package struct PlannedParameter: Sendable, Hashable {
    package var name: String
    package var part: Place.Part
    /// As recorded.
    package var value: String
    package var source: ValueSource

    /// Whether it is a request object with a parameter of this name (RFC 9101, section 4).
    package func asksFor(_ name: String) -> Bool {
        source == .generated(.requestObject) && JSONWebToken.parse(value)?.claim(name) != nil
    }
}

/// Where a value comes from in a new run.
package enum ValueSource: Sendable, Hashable {
    /// Sent as recorded.
    case literal
    /// Made anew by the client.
    case generated(GeneratedValue)
    /// Taken from what was issued at this place of the recording: from the same place of the new run.
    case issued(Place)
    /// Known to a person or a client only; the recording's own is used where it holds one.
    case secret(String, isRecorded: Bool)
    /// Found in the live page's form.
    case form
}

/// What a client makes up for each login.
package enum GeneratedValue: String, Sendable, Hashable {
    case state
    case nonce
    case codeVerifier = "code_verifier"
    case codeChallenge = "code_challenge"
    case clientAssertion = "client_assertion"
    /// What a client is granted tokens for (RFC 7523, section 2.1); sent as recorded where its key is not given.
    case grantAssertion = "assertion"
    case requestObject = "request"
    case dpopProof = "DPoP"
    case dpopThumbprint = "dpop_jkt"

    /// Whether it is a token with claims of its own, signed by the client.
    var isSignedClaims: Bool {
        switch self {
        case .clientAssertion, .grantAssertion, .requestObject: true
        default: false
        }
    }
}

/// A value that has to be given.
package struct SecretNeed: Sendable, Hashable {
    /// The parameter's name; `client_key` for a private key.
    package var name: String
    /// What it is for, in words.
    package var purpose: String
    /// Whether the capture has a value that can be used.
    package var isRecorded: Bool
    /// Of the signatures that a key makes.
    package var algorithm: SignatureAlgorithm?
}

/// A code challenge of the recording.
package struct PlannedChallenge: Sendable {
    package var challenge: String
    /// The verifier that it belongs to; nil where the recording has none that fits.
    package var verifier: String?
    /// How it is made of a verifier.
    package var making: ChallengeMaking
}
