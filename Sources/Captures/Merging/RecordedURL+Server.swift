extension RecordedURL {
    /// Whether both can name one server: they have one host, and not each a port of its own.
    ///
    /// Who ends TLS in front of a server hands on the host that it was asked for, on whichever port.
    func mayNameServer(of other: RecordedURL) -> Bool {
        guard host == other.host else { return false }
        guard let port = ownPort, let otherPort = other.ownPort else { return true }
        return port == otherPort
    }

    /// Host, and port where it is none of those that `http` and `https` have anyhow; empty without a host.
    var serverName: String { (host ?? "") + (ownPort.map { ":\($0)" } ?? "") }

    private var ownPort: Int? { explicitPort.flatMap { [80, 443].contains($0) ? nil : $0 } }
}
