internal import Captures
internal import LibCrypto
internal import TLS

/// What is kept and told of a client's connection that comes to nothing.
extension ProxyContext {
    func note(_ failure: UpstreamFailure, of entry: TunnelEntry) {
        keep(failure.reason, of: entry)
        tell(failure, of: entry.origin)
    }

    func tell(_ failure: UpstreamFailure, of origin: Origin) {
        notify(.upstreamFailed(host: origin.description, reason: failure.reason, hint: failure.hint))
        if failure.isShortage { notify(.outOfDescriptors) }
    }

    /// The client did not wait for the provider, which may be the very trouble: it is an entry.
    ///
    /// `reason`: what it did instead; nil where it waited for the provider.
    func noteGivenUp(_ entry: TunnelEntry, _ reason: String? = nil) {
        guard !isSpare(entry) else { return }
        keep(reason ?? "the client closed the connection before \(unconnected(entry.origin))", of: entry)
    }

    /// What had not come about when somebody waited for a provider no longer, with the proxy that may be the trouble.
    func unconnected(_ origin: Origin) -> String {
        "\(origin) was connected\(UpstreamProxy.way(by: connector.proxy(to: origin)))"
    }

    /// A provider that went before it was asked anything; `error`: what broke the connection; nil where it was closed.
    func unasked(_ origin: Origin, _ error: (any Error)?) -> UpstreamFailure {
        .unasked(origin, error).byWay(of: connector.proxy(to: origin))
    }

    /// A provider that did not finish its handshake in time.
    func handshakeTimeout(_ origin: Origin) -> UpstreamFailure {
        .handshakeTimeout(origin).byWay(of: connector.proxy(to: origin))
    }

    private func isSpare(_ entry: TunnelEntry) -> Bool {
        spare.contain(entry.identity.facts, entry.origin, since: entry.startedAt)
    }

    /// The client's handshake came about.
    func noteAgreement(_ agreed: HandshakeFacts, of entry: TunnelEntry) {
        pinning.accepted(by: entry.identity.facts, entry.origin)
        if agreed.alpn == "h2" { spare.agreed(by: entry.identity.facts, entry.origin, at: clock()) }
    }

    /// The recording ended while a client waited for the provider.
    func noteUnfinished(_ entry: TunnelEntry) {
        keep(AnswerLoss.recordingEnded(before: unconnected(entry.origin)), of: entry)
    }

    /// The client does not accept our certificate; it said so by an alert, or by its end.
    ///
    /// The end means nothing of a client that was started so that it accepts it: browsers make all their connections anew
    /// when the machine's network or their own roots change.
    func noteRejection(_ alert: TLSAlert?, of entry: TunnelEntry) {
        guard alert != nil || !isSpare(entry) else { return }
        let client = entry.identity.facts
        if alert == nil, let processID = client.processID,
            configuration.acceptsCertificates?(processID) == true
        {
            return keep("the client closed the connection during its TLS handshake", of: entry)
        }
        let how = alert.map { "alert \($0.name)" } ?? "it closed the connection after the certificate"
        let reason = "Client TLS handshake failed. The client does not trust the proxy's certificate (\(how))"
        keep(reason + Self.name(of: client), of: entry)
        let isCertain = pinning.rejected(
            by: client,
            entry.origin,
            saidSo: alert != nil,
            entry.startedAt...max(entry.startedAt, clock())
        )
        notify(
            .clientRejectedCertificate(
                host: entry.origin.description,
                client: client,
                alert: alert?.name,
                passesThrough: isCertain && configuration.passesPinningClients
            )
        )
    }

    /// The client went as soon as its handshake was done, without a word.
    ///
    /// So refuse our certificate those that look at it behind the handshake, as pins are mostly checked (OkHttp), and what uses GnuTLS
    /// does (wget and git on Debian). So end as well connections that were opened ahead, or to see whether a server is there, of clients
    /// that accept it: nobody is passed through for that, and each client is told of once.
    func noteUnasked(_ entry: TunnelEntry) {
        let client = entry.identity.facts
        // What speaks HTTP/2 is no spare connection beside itself.
        guard entry.facts.alpn == "h2" || !isSpare(entry) else { return }
        // Where the system does not tell whose it is, it may be a browser's that accepts it.
        if let accepts = configuration.acceptsCertificates, !entry.identity.isRemote,
            client.processID.map(accepts) ?? true
        {
            return
        }
        guard pinning.takeNote(of: client, entry.origin) else { return }
        let reason =
            "the client closed the connection behind its TLS handshake without a request, as one that does not trust "
            + "the proxy's certificate may"
        keep(reason + Self.name(of: client), of: entry)
        notify(.clientLeftBehindHandshake(host: entry.origin.description, client: client))
    }

    /// Who it was, for the end of a reason; empty where that is not known.
    private static func name(of client: ClientFacts) -> String {
        guard let process = client.process else { return "" }
        return ": \(process)" + (client.processID.map { ", process \($0)" } ?? "")
    }

    /// Tells that a client is asked for user name and password, once it is known who it is.
    func noteDemand(of identity: ClientIdentity) {
        identity.whenFound { [self] in notify(.askedForPassword(client: identity.facts)) }
    }

    /// Whether the authority may not sign for a host, so that its TLS is passed on unread; tells of it.
    func leavesAlone(_ host: String) -> Bool {
        if authority.signs(for: host) { return false }
        notify(.outsideScope(host: host))
        return true
    }

    /// What is to be told of a handshake with a provider that came about.
    func noteHandshake(_ agreed: HandshakeFacts, with origin: Origin) {
        if let problem = agreed.tolerated {
            notify(.toleratedCertificate(host: origin.description, reason: problem.description))
        }
        noteClientCertificate(agreed, origin)
    }

    /// Why there is no provider when a handshake with it came to nothing; a certificate that it misses is told of.
    ///
    /// - Parameters:
    ///   - failure: of the handshake.
    ///   - origin: the provider.
    ///   - serverName: what it was asked for.
    /// - Returns: what the client is told, and the entry says.
    func failure(of failure: HandshakeFailure, with origin: Origin, named serverName: String)
        -> UpstreamFailure
    {
        if case .clientCertificate(shown: nil, _) = failure { noteMissingCertificate(origin) }
        return .handshake(origin, serverName: serverName, failure).byWay(of: connector.proxy(to: origin))
    }

    /// What became of a provider's wish for a certificate.
    func noteClientCertificate(_ agreed: HandshakeFacts, _ origin: Origin) {
        guard agreed.wantsClientCertificate else { return }
        noteClientCertificate(agreed.shownCertificate, origin)
    }

    /// What a provider was shown that has asked for a certificate.
    func noteClientCertificate(_ shown: Certificate?, _ origin: Origin) {
        guard let shown else { return noteMissingCertificate(origin) }
        notify(.clientCertificateShown(host: origin.description, subject: shown.subject))
    }

    /// A provider asked for a certificate and was shown none; where there is one, it is not of a kind that it takes.
    func noteMissingCertificate(_ origin: Origin) {
        guard configuration.clientCertificate(origin.host, origin.port) == nil else { return }
        notify(.clientCertificateMissing(host: origin.description))
    }

    func keep(_ reason: String, of entry: TunnelEntry) {
        guard entry.isRecorded else { return }
        gate.keep([entry.failed(reason, at: clock())])
    }
}
