extension RecordedURL {
    /// Whether both can name one server: they have one host, and not each a port of its own.
    ///
    /// Who ends TLS in front of a server hands on the host that it was asked for, on whichever port.
    func mayNameServer(of other: RecordedURL) -> Bool {
        host == other.host && (server == other.server || server == host || other.server == host)
    }
}
