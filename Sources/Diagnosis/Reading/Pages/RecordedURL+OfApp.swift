import Captures

extension RecordedURL {
    /// Whether it is of the app that is to be answered at a redirect URI: at its host, and where the provider is at that host as well,
    /// as on a developer's machine, at its port.
    func isOfApp(answeredAt redirectURI: RecordedURL, by provider: RecordedURL) -> Bool {
        host == redirectURI.host && (host != provider.host || isAtServer(of: redirectURI))
    }
}
