import Captures
import OAuth

/// Clients that are told of a logout: by a token that is posted to them, or by the user's browser (OpenID Connect Back-Channel
/// Logout, section 2.5; Front-Channel Logout, section 3).
extension ProviderEngine {
    /// So many are told of one logout.
    private static let mostTold = 100

    /// Ends a session, and with a subject all of that user's: a client that was in several of them is told of each, since a `sid` ends
    /// but one (Back-Channel Logout, section 2.6).
    ///
    /// - Returns: what the user's browser has to load, client by client.
    mutating func end(_ logout: PendingLogout, subject: String?) -> [String] {
        let ended = state.sessions.end(logout.session, subject: subject)
        var frames: [String] = []
        let readers = ended.flatMap { session in session.readers.map { (reader: $0, user: session.user) } }
        for (reader, user) in readers.eachOnce(by: \.reader).prefix(Self.mostTold) {
            let mint = mint(for: reader.clientID)
            let addresses = mint.logoutAddresses
            if let address = addresses.backchannel {
                notices.append(LogoutNotice(address: address, token: mint.logoutToken(for: reader, user)))
            }
            if let address = addresses.frontchannel { frames.append(frame(address, reader)) }
        }
        return frames
    }

    /// Front-Channel Logout, section 3: issuer and session go together.
    private func frame(_ address: String, _ reader: ProviderState.Session.Reader) -> String {
        guard let name = reader.sessionName else { return address }
        let items = [("iss", configuration.issuerIdentifier), ("sid", name)]
        return AnswerRenderer.url(address, items, .query)
    }

    /// The answer to a logout: on to the client, by way of a page where the browser has addresses to load.
    ///
    /// `target`: nil where nobody asked to go on.
    func signedOut(loading frames: [String], to target: String?) -> BuiltAnswer {
        // A page that goes on by a script goes to addresses only.
        let isContent = target.map { RecordedURL($0).isContent } ?? false
        guard let target, frames.isEmpty || isContent else {
            return .page(200, SignInPage.signedOut(loading: frames, to: target))
        }
        return .redirect(to: target)
    }
}
