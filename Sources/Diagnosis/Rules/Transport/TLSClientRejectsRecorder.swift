import Captures
import Flows
import OAuth

/// A client broke off at the recorder's certificate: it does not trust the recorder's authority, or pins
/// another certificate.
///
/// Says nothing of the login, which was not seen; the flow stays incomplete. Not told of hosts that this
/// client's other connections show in clear.
struct TLSClientRejectsRecorder: Rule {
    static let info = RuleInfo(
        id: "tls-client-rejects-recorder",
        title: "The app refuses the recorder's certificate (pinning or missing trust)",
        severity: .error,
        explanation: """
            The client ended the TLS handshake when it saw the recording proxy's certificate. The login is not broken: the recording is. None of \
            this client's requests to the host are in the capture.
            """,
        fix: """
            Let the client trust the recorder's certificate: what `authreel record -- COMMAND` starts does so by itself, others are given \
            the file of `authreel ca path`, or the whole machine trusts it for a while (`authreel ca trust`). Where the app pins its \
            provider's certificate, turn that off in a debug build.
            """,
        badExample: """
            CONNECT login.example:443 → Client TLS handshake failed. The client does not trust the proxy's certificate
            """,
        goodExample: """
            CONNECT login.example:443, then GET https://login.example/authorize?… → 200
            """,
        specifications: [.rfc(8446, "6.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var evidence: [Evidence] = []
        var besides: [Evidence] = []
        var seen: Set<String> = []
        for index in flow.exchanges {
            let exchange = flow.capture[index]
            guard RecorderRefusal.isOne(exchange), let host = exchange.request.url.host, concerns(host, flow)
            else { continue }
            let isSupposed = RecorderRefusal.isSupposed(exchange)
            guard !isSupposed || mayMatter(host, flow) else { continue }
            // A client that tries again and again is told once.
            guard seen.insert("\(host) \(exchange.client.process ?? "") \(isSupposed)").inserted,
                evidence.count < 6
            else { continue }
            let place = Place(exchange: index, part: .tls, name: host)
            let words = Excerpt.start(of: exchange.failure ?? "")
            if isOpened(host, by: exchange, flow)
                || isSupposed && flow.surroundings.openedHosts.contains(host)
            {
                guard let note = noteOfOthers(exchange, host, flow) else { continue }
                besides.append(Evidence(place: place, value: words, note: note))
            } else {
                let note = exchange.client.process.map { "client: \($0)" }
                evidence.append(Evidence(place: place, value: words, note: note))
            }
        }
        if !evidence.isEmpty { return .violated(Violation(evidence)) }
        if !besides.isEmpty { return .violated(Violation(besides, severity: .warning)) }
        return PinnedServer.violation(in: flow).map { .violated($0) } ?? .holds
    }

    /// Whether something of the login may be missing because a client went behind its handshake, as one does as well that had no
    /// use for the connection: not where the login came to its end, or all of this host was asked by somebody up to its tokens.
    private func mayMatter(_ host: String, _ flow: Flow) -> Bool {
        flow.ending != .success
            && (flow.tokenRequests.isEmpty || !flow.surroundings.openedHosts.contains(host))
    }

    /// What tells a client that was refused from those of its host that got through; nil where it may be one of these.
    private func noteOfOthers(_ refused: Exchange, _ host: String, _ flow: Flow) -> String? {
        guard let process = refused.client.process else { return nil }
        if !isOpened(host, by: refused, flow) { return "client: \(process); others got through" }
        guard isAnotherProcess(refused, host, flow), let processID = refused.client.processID else {
            return nil
        }
        return "client: \(process), process \(processID); others of this name got through"
    }

    /// Whether the client said no by an alert, and all that got through were other processes: a program that was started
    /// once with and once without trust in the recorder.
    private func isAnotherProcess(_ refused: Exchange, _ host: String, _ flow: Flow) -> Bool {
        guard let processID = refused.client.processID, refused.failure?.containsBytes("(alert ") ?? false
        else { return false }
        let processIDs = opened(host, flow).processIDs
        return !processIDs.contains(nil) && !processIDs.contains(processID)
    }

    private func opened(_ host: String, _ flow: Flow) -> OpenedHosts.Clients {
        flow.surroundings.derived.value { OpenedHosts(in: flow.capture) }.byHost[host]
            ?? OpenedHosts.Clients()
    }

    /// Whether the host is the provider's or the app's, as far as the flow shows; a flow of nothing but
    /// failed connections is about its host.
    private func concerns(_ host: String, _ flow: Flow) -> Bool {
        if flow.messages.isEmpty || flow.providerHosts.contains(host)
            || ProviderRecognizer.kind(ofHost: host) != nil
        {
            return true
        }
        if flow.authorizationRequests.contains(where: {
            $0.redirectURI.map { RecordedURL($0).host == host } ?? false
        }) {
            return true
        }
        for case .discovery(let document) in flow.messages {
            let endpoints = document.answer.parameters.items.filter {
                $0.name.hasSuffix("_endpoint") || $0.name == "jwks_uri"
            }
            if endpoints.contains(where: { RecordedURL($0.value).host == host }) { return true }
        }
        return false
    }

    /// Whether an exchange of the host was seen in clear, by this client where the file names clients: by process, or by
    /// the user agent that it names to the proxy.
    private func isOpened(_ host: String, by refused: Exchange, _ flow: Flow) -> Bool {
        guard flow.surroundings.openedHosts.contains(host) else { return false }
        let agent = refused.request.userAgent
        guard refused.client.process != nil || agent != nil else { return true }
        let clients = opened(host, flow)
        if let process = refused.client.process {
            return clients.processes.contains(nil) || clients.processes.contains(process)
        }
        return clients.agents.contains(nil) || clients.agents.contains(agent)
    }
}

/// Whose exchanges with which host were seen in clear, read once for all clients that broke off.
private struct OpenedHosts: Sendable {
    /// Nil stands for an exchange that does not name its client.
    struct Clients: Sendable {
        var processes: Set<String?> = []
        var processIDs: Set<Int32?> = []
        var agents: Set<String?> = []
    }

    private(set) var byHost: [String: Clients] = [:]

    init(in capture: Capture) {
        for index in capture.indices {
            let exchange = capture[index]
            guard exchange.response != nil, exchange.request.method != "CONNECT",
                let host = exchange.request.url.host
            else { continue }
            byHost[host, default: Clients()].processes.insert(exchange.client.process)
            byHost[host, default: Clients()].processIDs.insert(exchange.client.processID)
            byHost[host, default: Clients()].agents.insert(exchange.request.userAgent)
        }
    }
}
