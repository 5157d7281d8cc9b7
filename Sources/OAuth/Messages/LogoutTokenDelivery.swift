import Captures
package import JOSE

/// A logout token that the provider posts to the client (OpenID Connect Back-Channel Logout, section 2.5).
package struct LogoutTokenDelivery: Sendable {
    /// Which exchange it came with.
    package var exchange: Int
    /// The `logout_token` of the form.
    package var parameter: Parameter
    /// Nil where it has not the shape of a token.
    package var token: JSONWebToken?
    /// What the client said to it.
    package var answer: Answer

    init(exchange: Int, parameter: Parameter, answer: Answer) {
        self.exchange = exchange
        self.parameter = parameter
        self.token = JSONWebToken.parse(parameter.value)
        self.answer = answer
    }

    /// The member of `events` that makes a token a logout token (section 2.4).
    package static let event = "http://schemas.openid.net/event/backchannel-logout"
}
