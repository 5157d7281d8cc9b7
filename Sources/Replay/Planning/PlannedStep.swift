package import Captures
package import Flows

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
