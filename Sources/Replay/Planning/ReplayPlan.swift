package import Captures
package import Flows

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
            /// The browser itself did not send it, after too many redirects.
            case neverSent
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
